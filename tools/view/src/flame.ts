// A flame graph: widths are shares, the root is at the top. Click to zoom, type to find.

import { el, shown } from "./dom";
import { hueOf, type Colors } from "./color";
import type { Flame } from "./stats";

const HEIGHT = 19;

export function flameGraph(root: Flame, colors: () => Colors, show: (weight: number) => string, what: string): HTMLElement {
  const canvas = el("canvas", { role: "img", "aria-label": `Flame graph of ${what}: arrow keys, Enter to zoom, Backspace for all`, tabindex: 0 });
  const search = el("input", { type: "search", placeholder: "Find a function", "aria-label": "Find in the flame graph" });
  const note = el("span", { class: "note", "aria-live": "polite" });
  const back = el("button", { type: "button", class: "small" }, "Show all");
  const box = el("div", { class: "flame" }, el("div", { class: "bar" }, search, back, note), canvas);
  let path: Flame[] = [root];
  let boxes: { x: number; w: number; y: number; node: Flame; chain: Flame[] }[] = [];
  let found = "";
  let hover: Flame | undefined;

  const draw = (): void => {
    const focus = path[path.length - 1];
    const width = Math.max(50, box.clientWidth - 2);
    const dpr = devicePixelRatio || 1;
    boxes = [];
    path.slice(0, -1).forEach((node, y) => boxes.push({ x: 0, w: width, y, node, chain: path.slice(0, y + 1) }));
    const put = (node: Flame, x: number, w: number, y: number, chain: Flame[]): void => {
      boxes.push({ x, w, y, node, chain });
      let at = x;
      for (const child of [...node.children.values()].sort((a, b) => b.total - a.total)) {
        const wide = (child.total / node.total) * w;
        if (wide >= 0.7) put(child, at, wide, y + 1, [...chain, child]);
        at += wide;
      }
    };
    if (focus.total > 0) put(focus, 0, width, path.length - 1, path);
    const depth = Math.max(1, ...boxes.map((b) => b.y + 1));
    canvas.width = width * dpr;
    canvas.height = depth * HEIGHT * dpr;
    canvas.style.setProperty("width", `${width}px`);
    canvas.style.setProperty("height", `${depth * HEIGHT}px`);
    const ctx = canvas.getContext("2d") as CanvasRenderingContext2D;
    const c = colors();
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.font = "11.5px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    let hits = 0;
    for (const b of boxes) {
      const match = found !== "" && b.node.name.toLowerCase().includes(found);
      if (match && !b.chain.slice(0, -1).some((n) => n.name.toLowerCase().includes(found))) hits += b.node.total;
      ctx.globalAlpha = found && !match ? 0.35 : 1;
      ctx.fillStyle = b.node === root ? c.grid : c.fill[hueOf(b.node.module || b.node.name)];
      ctx.fillRect(b.x, b.y * HEIGHT, Math.max(0.5, b.w - 0.5), HEIGHT - 1);
      if (b.node === hover) {
        ctx.strokeStyle = c.ink;
        ctx.strokeRect(b.x + 0.5, b.y * HEIGHT + 0.5, Math.max(1, b.w - 1.5), HEIGHT - 2);
      }
      if (b.w > 26) {
        ctx.fillStyle = b.node === root ? c.ink : c.text;
        let text = shown(b.node.name);
        const wide = ctx.measureText(text).width;
        if (wide > b.w - 8) text = text.slice(0, Math.max(1, Math.floor((text.length * (b.w - 14)) / wide))) + "\u2026";
        ctx.fillText(text, b.x + 4, b.y * HEIGHT + HEIGHT / 2);
      }
    }
    ctx.globalAlpha = 1;
    const node = hover ?? focus;
    note.textContent = `${node.name}: ${show(node.total)} (${((100 * node.total) / root.total || 0).toFixed(1)} %), self ${show(node.self)}`
      + (node.module ? ` \u00b7 ${node.module}` : "") + (found ? ` \u00b7 found ${((100 * hits) / root.total || 0).toFixed(1)} %` : "");
    back.hidden = path.length === 1;
  };
  const at = (e: MouseEvent): (typeof boxes)[number] | undefined =>
    boxes.find((b) => e.offsetX >= b.x && e.offsetX < b.x + b.w && Math.floor(e.offsetY / HEIGHT) === b.y);
  canvas.addEventListener("mousemove", (e) => {
    const node = at(e)?.node;
    if (node !== hover) {
      hover = node;
      draw();
    }
  });
  canvas.addEventListener("mouseleave", () => {
    hover = undefined;
    draw();
  });
  canvas.addEventListener("click", (e) => {
    const b = at(e);
    if (b) path = b.chain;
    draw();
  });
  canvas.addEventListener("keydown", (e) => {
    const now = boxes.find((b) => b.node === hover) ?? boxes[path.length - 1];
    const row = boxes.filter((b) => b.y === now?.y);
    const to = e.key === "ArrowDown" ? boxes.find((b) => b.y === now.y + 1 && b.x >= now.x - 0.1 && b.x < now.x + now.w)
      : e.key === "ArrowUp" ? boxes.find((b) => b.y === now.y - 1 && b.x <= now.x + 0.1 && b.x + b.w > now.x)
        : e.key === "ArrowLeft" ? row[row.indexOf(now) - 1] : e.key === "ArrowRight" ? row[row.indexOf(now) + 1] : undefined;
    if (e.key === "Enter" && now) path = now.chain;
    else if (e.key === "Backspace") path = [root];
    else if (e.key.startsWith("Arrow")) hover = to?.node ?? now?.node;
    else return;
    e.preventDefault();
    e.stopPropagation();
    draw();
  });
  back.addEventListener("click", () => {
    path = [root];
    draw();
  });
  search.addEventListener("input", () => {
    found = search.value.toLowerCase();
    draw();
  });
  new ResizeObserver(draw).observe(box);
  return box;
}
