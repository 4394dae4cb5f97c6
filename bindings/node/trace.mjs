/*
 * Trace files from Node, in one file and without native modules.
 *
 *     import { Trace } from "./trace.mjs";
 *
 *     const trace = new Trace("out.pftrace");
 *     trace.slice("load", { path: "a.txt" }, () => parse());
 *     await trace.slice("fetch", {}, async () => { ... });      // on a track of its own
 *     trace.counter("queue", 3);
 *     trace.instant("done", { rows: 17 });
 *     trace.close();
 *
 * A slice whose function returns a promise ends when that does. What is begun inside of it nests in it, also after `await`;
 * slices that are begun beside each other get tracks of their own, since they overlap.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import process from "node:process";

const FLUSH_AT = 1 << 20;
const SEQUENCE = 1n;
const TYPE = { begin: 1, end: 2, instant: 3, counter: 4 };
const CLOCK = { realtime: 1, monotonic: 3 };
const MASK = (1n << 64n) - 1n;

/* A message that grows. Numbers are bigint where they may be large. */
class Bytes {
  constructor(size = 256) {
    this.data = Buffer.allocUnsafe(size);
    this.length = 0;
  }

  room(n) {
    if (this.length + n <= this.data.length) return;
    const more = Buffer.allocUnsafe(Math.max(this.data.length * 2, this.length + n));
    this.data.copy(more, 0, 0, this.length);
    this.data = more;
  }

  varint(value) {
    this.room(10);
    if (typeof value === "number" && value >= 0 && value <= 0x7fffffff) {
      while (value > 0x7f) {
        this.data[this.length++] = (value & 0x7f) | 0x80;
        value >>>= 7;
      }
      this.data[this.length++] = value;
      return this;
    }
    let rest = BigInt(value) & MASK;
    while (rest > 0x7fn) {
      this.data[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.data[this.length++] = Number(rest);
    return this;
  }

  int(field, value) {
    return this.varint(field << 3).varint(value);
  }

  raw(bytes) {
    this.room(bytes.length);
    this.data.set(bytes.subarray(0, bytes.length), this.length);
    this.length += bytes.length;
    return this;
  }

  bytes(field, bytes) {
    return this.varint((field << 3) | 2).varint(bytes.length).raw(bytes);
  }

  text(field, text) {
    return this.bytes(field, Buffer.from(text));
  }

  double(field, value) {
    this.varint((field << 3) | 1).room(8);
    this.data.writeDoubleLE(value, this.length);
    this.length += 8;
    return this;
  }

  fixed64(field, value) {
    this.varint((field << 3) | 1).room(8);
    this.data.writeBigUInt64LE(BigInt(value) & MASK, this.length);
    this.length += 8;
    return this;
  }

  message(field, fill) {
    const inner = new Bytes();
    fill(inner);
    return this.bytes(field, inner.used());
  }

  used() {
    return this.data.subarray(0, this.length);
  }
}

function hash(text) {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) value = ((value ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return value;
}

function fits(value) {
  return BigInt.asIntN(64, value) === value;
}

/* What an argument is written as: a boolean, a bigint of 64 bits, another number or a text. */
function valueOf(value) {
  if (typeof value === "boolean" || (typeof value === "bigint" && fits(value))) return value;
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  return String(value);
}

export class Trace {
  #fd;
  #out = new Bytes(FLUSH_AT + 65536);
  #names = new Map();
  #keys = new Map();
  #counters = new Map();
  #free = []; /* tracks that nothing is on */
  #tracks = 0;
  #here = new AsyncLocalStorage();
  #process = hash(`process ${process.pid}`);
  #main;

  constructor(path) {
    this.#fd = fs.openSync(path, "w");
    this.#packet((p) => {
      p.message(6, (s) => {
        s.message(1, (c) => c.int(1, CLOCK.monotonic).int(2, process.hrtime.bigint()));
        s.message(1, (c) => c.int(1, CLOCK.realtime).int(2, BigInt(Math.round(Date.now() * 1e6))));
        s.int(2, CLOCK.monotonic);
      });
      p.int(13, 1);
    });
    this.#describe(this.#process, (t) =>
      t.message(3, (d) => {
        d.int(1, process.pid).text(6, process.argv[1] ?? "node");
        for (const arg of process.argv) d.text(2, arg);
      }));
    this.#main = { uuid: this.#process ^ hash("main thread") };
    this.#describe(this.#main.uuid, (t) =>
      t.int(5, this.#process).message(4, (d) => d.int(1, process.pid).int(2, process.pid).text(5, "main")));
  }

  /* Everything is in the file when this returns. */
  close() {
    if (this.#fd === undefined) return;
    this.#flush();
    fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  /* ---- packets ---- */

  #flush() {
    for (let rest = this.#out.used(); rest.length; ) rest = rest.subarray(fs.writeSync(this.#fd, rest));
    this.#out.length = 0;
  }

  #packet(fill) {
    if (this.#fd === undefined) return;
    const packet = new Bytes();
    fill(packet);
    packet.int(10, SEQUENCE);
    this.#out.bytes(1, packet.used());
    if (this.#out.length > FLUSH_AT) this.#flush();
  }

  #describe(uuid, fill) {
    this.#packet((p) => p.message(60, (t) => fill(t.int(1, uuid))));
  }

  #iid(table, text, field, interned) {
    let iid = table.get(text);
    if (iid === undefined) {
      iid = table.size + 1;
      interned.message(field, (m) => m.int(1, iid).text(2, text));
      table.set(text, iid);
    }
    return iid;
  }

  #args(event, args, interned) {
    for (const [key, value] of args)
      event.message(4, (a) => {
        a.int(1, this.#iid(this.#keys, key, 3, interned));
        if (typeof value === "boolean") a.int(2, value ? 1 : 0);
        else if (typeof value === "bigint") a.int(4, value);
        else if (typeof value === "number") a.double(5, value);
        else a.text(6, value);
      });
  }

  #event(type, track, name, args, more) {
    const interned = new Bytes();
    const at = process.hrtime.bigint();
    /* These may call functions of the program, which may throw, or write events. */
    const values = Object.entries(args ?? {}).map(([key, value]) => [key, valueOf(value)]);
    const text = name === undefined ? undefined : String(name);
    this.#packet((p) => {
      p.int(8, at).int(58, CLOCK.monotonic).int(13, 2).message(11, (e) => {
        e.int(9, type).int(11, track);
        if (text !== undefined) e.int(10, this.#iid(this.#names, text, 2, interned));
        this.#args(e, values, interned);
        more?.(e);
      });
      if (interned.length) p.bytes(12, interned.used());
    });
  }

  /* ---- tracks ---- */

  /* Where a slice is begun: in the one around it if that has nothing else open, else on a track of its own. */
  #place() {
    const around = this.#here.getStore();
    if (around && around.track.top === around) return around.track;
    if (!around && !this.#main.top) return this.#main;
    let track = this.#free.pop();
    if (!track) {
      track = { uuid: this.#process ^ hash(`track ${++this.#tracks}`) };
      this.#describe(track.uuid, (t) => t.int(5, this.#main.uuid).text(2, "async"));
    }
    return track;
  }

  #end(slice, args) {
    if (slice.ended) return;
    slice.ended = true;
    this.#event(TYPE.end, slice.track.uuid, undefined, args);
    let top = slice.track.top;
    while (top?.ended) top = top.below;
    slice.track.top = top;
    if (!top && slice.track !== this.#main) this.#free.push(slice.track);
  }

  /* ---- what programs use ---- */

  /* Calls fn inside of a slice, and returns what it does. */
  slice(name, args, fn) {
    const track = this.#place();
    const slice = { track, below: track.top, ended: false };
    this.#event(TYPE.begin, track.uuid, name, args); /* throws if an argument does: nothing has begun then */
    track.top = slice;
    const failed = (error) => {
      this.#end(slice, { error: error?.name ?? String(error) });
      throw error;
    };
    let result;
    try {
      result = this.#here.run(slice, fn);
    } catch (error) {
      failed(error);
    }
    if (typeof result?.then !== "function") {
      this.#end(slice);
      return result;
    }
    return result.then((value) => {
      this.#end(slice);
      return value;
    }, failed);
  }

  /* A moment. Events with the same flow are joined by arrows. */
  instant(name, args = {}, { flow } = {}) {
    const track = this.#here.getStore()?.track ?? this.#main;
    this.#event(TYPE.instant, track.uuid, name, args, (e) => flow !== undefined && e.fixed64(47, flow));
  }

  /* A number of the process, from now on. */
  counter(name, value) {
    let uuid = this.#counters.get(name);
    if (uuid === undefined) {
      uuid = this.#process ^ hash(`counter ${name}`);
      this.#describe(uuid, (t) => t.int(5, this.#process).text(2, `${name}`).bytes(8, Buffer.alloc(0)));
      this.#counters.set(name, uuid);
    }
    const whole = Number.isSafeInteger(value) || typeof value === "bigint" ? BigInt(value) : undefined;
    this.#event(TYPE.counter, uuid, undefined, undefined, (e) =>
      whole !== undefined && fits(whole) ? e.int(30, whole) : e.double(44, Number(value)));
  }
}
