// Items of a lane: sorted, none overlaps the next. What is too narrow for a pixel is drawn as one
// with its neighbours, under the colour of the longest, whatever the number of items.

const FAN = 16;

export class Lane {
  /** levels[k][i]: the longest of the items i * 16^(k+1) and following ones. */
  private readonly levels: Uint32Array[] = [];

  constructor(readonly start: Float64Array, readonly end: Float64Array,
              /** Number of each in the columns of its row; undefined: the same number. */
              readonly item?: Uint32Array,
              /** How much of the time in front of each item something ran; one more than items. */
              private readonly busy?: Float64Array) {
    let below: Uint32Array | undefined;
    for (let n = start.length; n > FAN; ) {
      const next: Uint32Array = new Uint32Array(Math.ceil(n / FAN));
      for (let i = 0; i < next.length; i++) {
        let best = below ? below[i * FAN] : i * FAN;
        for (let k = i * FAN + 1; k < Math.min(n, (i + 1) * FAN); k++) {
          const other = below ? below[k] : k;
          if (this.length(other) > this.length(best)) best = other;
        }
        next[i] = best;
      }
      this.levels.push(next);
      below = next;
      n = next.length;
    }
  }

  get size(): number {
    return this.start.length;
  }

  private length(i: number): number {
    return this.end[i] - this.start[i];
  }

  number(i: number): number {
    return this.item ? this.item[i] : i;
  }

  /** The first item that ends at or after t. */
  firstEnding(t: number): number {
    let low = 0;
    let high = this.end.length;
    while (low < high) {
      const mid = (low + high) >>> 1;
      if (this.end[mid] < t) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** The first item from `from` on that begins at or after t. */
  firstStarting(t: number, from: number): number {
    let by = 1;
    let high = from;
    while (high < this.start.length && this.start[high] < t) {
      from = high + 1;
      high += by;
      by *= 2;
    }
    high = Math.min(high, this.start.length);
    while (from < high) {
      const mid = (from + high) >>> 1;
      if (this.start[mid] < t) from = mid + 1;
      else high = mid;
    }
    return from;
  }

  /** The longest item of [from, to). */
  longest(from: number, to: number): number {
    let best = from;
    let i = from;
    while (i < to) {
      let level = 0;
      let size = 1;
      while (level < this.levels.length && i % (size * FAN) === 0 && i + size * FAN <= to) {
        size *= FAN;
        level++;
      }
      const other = level ? this.levels[level - 1][i / size] : i;
      if (this.length(other) > this.length(best)) best = other;
      i += size;
    }
    return best;
  }

  /** Which part of the time from the first to the last of `num` items something ran. */
  share(first: number, num: number): number {
    return this.busy ? (this.busy[first + num] - this.busy[first]) / Math.max(1, this.end[first + num - 1] - this.start[first]) : 1;
  }

  /**
   * Calls `put` for what a pixel can show between two times: an item that is wide enough alone, or
   * all that begin in the same pixel: `num` of them from `first` on, `item` the longest.
   */
  walk(from: number, to: number, nsPerPx: number, put: (start: number, end: number, item: number, num: number, first: number) => void): void {
    const n = this.start.length;
    let i = this.firstEnding(from);
    while (i < n && this.start[i] < to) {
      const start = this.start[i];
      const end = this.end[i];
      if (end - start >= nsPerPx) {
        put(start, end, i, 1, i);
        i++;
        continue;
      }
      const limit = from + (Math.floor((start - from) / nsPerPx) + 1) * nsPerPx;
      let next = this.firstStarting(limit, i + 1);
      if (next - i > 1 && this.length(next - 1) >= nsPerPx) next--;
      put(start, this.end[next - 1], next - i > 1 ? this.longest(i, next) : i, next - i, i);
      i = next;
    }
  }

  /** The item at time t, or the nearest one within `slack`; -1: none. */
  at(t: number, slack: number): number {
    const i = this.firstEnding(t);
    if (i < this.size && this.start[i] <= t) return i;
    let best = -1;
    let gap = slack;
    if (i < this.size && this.start[i] - t <= gap) {
      best = i;
      gap = this.start[i] - t;
    }
    if (i > 0 && t - this.end[i - 1] <= gap) best = i - 1;
    return best;
  }
}

/** Values over time, each until the next. */
export class Steps {
  private readonly low: Float64Array[] = [];
  private readonly high: Float64Array[] = [];
  readonly min: number;
  readonly max: number;

  constructor(readonly time: Float64Array, readonly value: Float64Array,
              /** Lowest and highest of what stands together, if values do. */
              private readonly lowest = value, private readonly highest = value) {
    let low = lowest;
    let high = highest;
    while (low.length > FAN) {
      const nextLow = new Float64Array(Math.ceil(low.length / FAN));
      const nextHigh = new Float64Array(nextLow.length);
      for (let i = 0; i < nextLow.length; i++) {
        nextLow[i] = Math.min(...low.subarray(i * FAN, (i + 1) * FAN));
        nextHigh[i] = Math.max(...high.subarray(i * FAN, (i + 1) * FAN));
      }
      this.low.push(nextLow);
      this.high.push(nextHigh);
      low = nextLow;
      high = nextHigh;
    }
    this.min = low.length ? Math.min(...low) : 0;
    this.max = high.length ? Math.max(...high) : 0;
  }

  /** The value that holds at t: its number, or -1 before the first. */
  at(t: number): number {
    let low = 0;
    let high = this.time.length;
    while (low < high) {
      const mid = (low + high) >>> 1;
      if (this.time[mid] <= t) low = mid + 1;
      else high = mid;
    }
    return low - 1;
  }

  /** Lowest and highest of the values [from, to). */
  range(from: number, to: number): [number, number] {
    let min = Infinity;
    let max = -Infinity;
    for (let i = from; i < to; ) {
      let level = 0;
      let size = 1;
      while (level < this.low.length && i % (size * FAN) === 0 && i + size * FAN <= to) {
        size *= FAN;
        level++;
      }
      const low = level ? this.low[level - 1][i / size] : this.lowest[i];
      const high = level ? this.high[level - 1][i / size] : this.highest[i];
      if (low < min) min = low;
      if (high > max) max = high;
      i += size;
    }
    return [min, max];
  }
}
