// Times and sizes as people read them. Inside, times are whole ns from the begin of the trace.

const UNITS: readonly [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

/** A duration with three or four digits that count. */
export function duration(ns: number): string {
  if (ns < 0) return "\u2013" + duration(-ns);
  if (ns >= 3600e9) return `${Math.floor(ns / 3600e9)} h ${Math.floor((ns % 3600e9) / 60e9)} min`;
  if (ns >= 120e9) return `${Math.floor(ns / 60e9)} min ${((ns % 60e9) / 1e9).toFixed(1)} s`;
  for (const [size, unit] of UNITS) {
    if (ns >= size || size === 1) {
      const v = ns / size;
      if (size === 1) return `${Math.round(v)} ns`;
      return `${v >= 100 ? v.toFixed(1) : v >= 10 ? v.toFixed(2) : v.toFixed(3)} ${unit}`;
    }
  }
  return "0 ns";
}

/** A place in the trace: "+4.212 345 678 s", only as many digits as there are. */
export function place(ns: number): string {
  const sign = ns < 0 ? "\u2013" : "+";
  const abs = Math.abs(ns);
  const whole = Math.floor(abs / 1e9);
  const rest = String(Math.round(abs % 1e9)).padStart(9, "0");
  return `${sign}${whole}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)} s`;
}

/** The distance between the marks of a ruler: 1, 2 or 5 of a power of ten, at least `least`. */
export function step(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return factor * power;
  return 10 * power;
}

/** A mark of a ruler whose marks are `by` apart. */
export function tick(ns: number, by: number): string {
  if (!ns) return "0";
  const [size, unit] = by >= 3600e9 ? [3600e9, "h"] as const : UNITS.find(([u]) => Math.abs(ns) >= u) ?? UNITS[3];
  const digits = Math.max(0, Math.ceil(Math.log10(size / by)));
  return `${(ns / size).toFixed(Math.min(digits, 9))} ${unit}`;
}

export function number(n: number): string {
  return Math.abs(n) < 1e15 && Number.isInteger(n) ? String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") : String(+n.toPrecision(6));
}

/** A value with its unit, short. */
export function quantity(v: number, unit: string): string {
  if (/^(size)?bytes?$|^B$/i.test(unit)) {
    for (const [size, name] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"]] as const)
      if (Math.abs(v) >= size) return `${(v / size).toFixed(1)} ${name}`;
    return `${v} B`;
  }
  if (unit === "kHz") return `${v >= 1e6 ? `${(v / 1e6).toFixed(2)} G` : v >= 1e3 ? `${+(v / 1e3).toFixed(1)} M` : `${v} k`}Hz`;
  if (unit === "ns" || unit === "time_ns") return duration(v);
  const abs = Math.abs(v);
  const text = abs >= 1e15 ? v.toExponential(3) : abs >= 1e9 ? `${(v / 1e9).toFixed(2)} G` : abs >= 1e6 ? `${(v / 1e6).toFixed(2)} M`
    : abs >= 1e4 ? `${(v / 1e3).toFixed(1)} k` : String(+v.toPrecision(5));
  return unit ? `${text} ${unit}` : text;
}

/** `period`: ns that one stands for, where that is known. */
export function samples(n: number, period: number | undefined): string {
  return `${number(n)} sample${n === 1 ? "" : "s"}${period ? `, about ${duration(n * period)}` : ""}`;
}
