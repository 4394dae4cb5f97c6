// Colours: hues by name, states by meaning. A hue is a hint; height, edge and texture say the same.

export type Theme = "light" | "dark";

function toRgb(l: number, c: number, hue: number): string {
  const a = c * Math.cos((hue * Math.PI) / 180);
  const b = c * Math.sin((hue * Math.PI) / 180);
  const lms = [l + 0.3963377774 * a + 0.2158037573 * b, l - 0.1055613458 * a - 0.0638541728 * b,
               l - 0.0894841775 * a - 1.291485548 * b].map((v) => v ** 3);
  const linear = [4.0767416621 * lms[0] - 3.3077115913 * lms[1] + 0.2309699292 * lms[2],
                  -1.2684380046 * lms[0] + 2.6097574011 * lms[1] - 0.3413193965 * lms[2],
                  -0.0041960863 * lms[0] - 0.7034186147 * lms[1] + 1.707614701 * lms[2]];
  const bytes = linear.map((v) => {
    const s = v <= 0.0031308 ? 12.92 * v : 1.055 * Math.max(v, 0) ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, s)) * 255);
  });
  return "#" + bytes.map((v) => v.toString(16).padStart(2, "0")).join("");
}

function palette(l: number, c: number): string[] {
  return Array.from({ length: 24 }, (_, i) => toRgb(l, c, i * 15));
}

export interface Colors {
  fill: string[];
  edge: string[];
  text: string;
  background: string;
  grid: string;
  faint: string;
  dim: string;
  accent: string;
  ink: string;
  hatch: string;
  counter: string;
  counterLine: string;
  selection: string;
}

export const COLORS: Record<Theme, Colors> = {
  light: {
    fill: palette(0.8, 0.09), edge: palette(0.55, 0.1), text: "#1b1b1b", background: "#ffffff", grid: "#e8eaee",
    faint: "#f4f5f7", dim: "#6b7280", accent: "#1a56db", ink: "#1b1b1b", hatch: "#cc79a7", counter: "#9ec5f4",
    counterLine: "#2a6fc9", selection: "#1a56db",
  },
  dark: {
    fill: palette(0.47, 0.07), edge: palette(0.3, 0.06), text: "#f4f4f4", background: "#15181d", grid: "#262b33",
    faint: "#1b1f26", dim: "#9aa4b2", accent: "#7aa7ff", ink: "#e8eaee", hatch: "#cc79a7", counter: "#28507f",
    counterLine: "#7db4f5", selection: "#7aa7ff",
  },
};

/** Of a name without the numbers and addresses at its end: equal work has equal colours. */
export function hueOf(name: string): number {
  const stem = name.replace(/(0x[0-9a-f]+|[0-9a-f]{8,}|\d+)\s*$/i, "");
  let hash = 0x811c9dc5;
  for (let i = 0; i < stem.length; i++) hash = Math.imul(hash ^ stem.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return (hash >>> 0) % 24;
}

export interface StateLook {
  label: string;
  light: string;
  dark: string;
  height: number; // of the row, from the bottom
  texture: "" | "dots" | "cross" | "bars";
}

const RUNNING: StateLook = { label: "Running", light: "#009E73", dark: "#1fb58a", height: 1, texture: "" };
const RUNNABLE: StateLook = { label: "Runnable, waits for a CPU", light: "#0072B2", dark: "#56B4E9", height: 0.75, texture: "" };
const PREEMPTED: StateLook = { ...RUNNABLE, label: "Runnable, was preempted" };
const ON_IO: StateLook = { label: "Uninterruptible, waits for I/O", light: "#E69F00", dark: "#E69F00", height: 1, texture: "dots" };
const UNINTERRUPTIBLE: StateLook = { label: "Uninterruptible", light: "#D55E00", dark: "#D55E00", height: 1, texture: "" };
const UNKNOWN_WAIT: StateLook = { ...UNINTERRUPTIBLE, label: "Uninterruptible, cause not recorded", texture: "cross" };
const SLEEPING: StateLook = { label: "Sleeping", light: "#B8BEC6", dark: "#4A525C", height: 0.2, texture: "" };
const IDLE: StateLook = { ...SLEEPING, label: "Idle, waits for work in the kernel" };
const STOPPED: StateLook = { label: "Stopped or traced", light: "#CC79A7", dark: "#CC79A7", height: 0.5, texture: "bars" };
const GONE: StateLook = { label: "Dead", light: "", dark: "", height: 0, texture: "" };

/** What a legend explains. */
export const STATES = [RUNNING, RUNNABLE, ON_IO, UNINTERRUPTIBLE, UNKNOWN_WAIT, SLEEPING, STOPPED];

export function stateLook(state: string): StateLook {
  const [base, cause] = state.split(/[+-](?=io$)/);
  if (base === "Running") return RUNNING;
  if (base.startsWith("R")) return base.includes("+") ? PREEMPTED : RUNNABLE;
  if (base.startsWith("D"))
    return cause === undefined ? UNKNOWN_WAIT : state.endsWith("+io") ? ON_IO : UNINTERRUPTIBLE;
  if (base.startsWith("I")) return IDLE;
  if (base.startsWith("S") || base.startsWith("W") || base.startsWith("K")) return SLEEPING;
  if (base.startsWith("T") || base.startsWith("t")) return STOPPED;
  if (base.startsWith("X") || base.startsWith("Z")) return GONE;
  return { ...SLEEPING, label: base || "State not recorded" };
}
