// Bundles the page into dist/: the same bytes on every machine, as nothing of it is in them.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { browsers: target } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")); // bundle.py, too
const common = { bundle: true, charset: "ascii", logLevel: "warning", absWorkingDir: import.meta.dirname };

if (process.argv.includes("--tests")) {
  await build({ ...common, entryPoints: ["tests/all.ts"], outfile: "build/tests.mjs", format: "esm", platform: "node" });
} else {
  const out = process.argv[2] ?? "dist";
  await build({ ...common, entryPoints: ["src/main.ts"], outfile: `${out}/view.js`, format: "iife", minify: true, target,
                legalComments: "inline" });
  await build({ ...common, entryPoints: ["src/view.css"], outfile: `${out}/view.css`, minify: true, target });
}
