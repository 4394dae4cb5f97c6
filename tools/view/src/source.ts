// Where the blocks come from: the page itself, or the server that sent it.

import { Damaged, fromBase64, inflate } from "./bytes";

export const enum BlockKind { Items = 1, Strings = 2, Rows = 3, Args = 4, Flows = 5, Frames = 6, Overview = 7, Gaps = 8, Heaps = 9 }

export interface Info {
  version: number;
  title: string;
  from: string; // ns of the trace's clock; a text, as numbers of JSON are too coarse
  to: string;
  counts: { slices: number; states: number; values: number; logs: number; flows: number; grouped: number; groupNs: number; merged: number; mergedNs: number };
  losses?: string; // what was lost, as every command says it
  problems: [string, number | string, string, number][];
  facts: [string, string][];
  samplePeriod?: number; // ns that a sample stands for
  report?: import("./report").Report;
  blocks: [BlockKind, number, number, number, number, number][]; // kind, size, crc, first, last, packed
  levels: number[]; // ns: what is shorter stands in groups there; the finest first
  chunks: number[]; // row, block, place in it, kind, items, from, to; each seven
  /** Only where the server still reads the trace: how many items are there, and up to which time all of them. */
  partial?: { read: number; all: number; until: number };
}

export interface Answer {
  columns: string[];
  rows: (string | number | null)[][];
  error?: string;
  more?: boolean;
}

/** How far a server is that still packs the trace: items read, of how many, and what was read if that is new. */
export interface Waiting { read: number; all: number; picture?: Source }

export interface Source {
  /** `waiting` is called while it is not there yet. */
  info(waiting: (how: Waiting) => unknown): Promise<Info>;
  /** Block n, counted from 0 as in info.blocks, unpacked. */
  block(n: number): Promise<Uint8Array>;
  /** What is wrong with it as a whole, once all of it is there. */
  missing?(): Promise<string>;
  /** Where the trace grows: waits for a newer packing of it; undefined: it has come to its end. */
  next?(): Promise<Source | undefined>;
  /** Done when blocks are asked for that a newer packing has replaced. */
  gone?: Promise<void>;
  /** Only where there is a server. */
  sql?(text: string): Promise<Answer>;
}

function checked(info: Info): Info {
  if (info.version !== 1) throw new Damaged(`this page is of version ${info.version}, the program of version 1`);
  return info;
}

/** Blocks that lie in this page. A block's text is taken out of the document when it is first needed. */
export class FileSource implements Source {
  private known!: Info;
  private readonly texts = new Map<number, string>();

  async info(): Promise<Info> {
    const text = document.getElementById("info")?.textContent;
    if (!text) throw new Damaged("the page holds no trace: it is truncated");
    this.known = checked(JSON.parse(text) as Info);
    return this.known;
  }

  private async text(n: number): Promise<string> {
    const id = `b${n + 1}`;
    for (;;) {
      const node = document.getElementById(id);
      // The last child may still be growing while the page arrives: a block is whole once something follows it.
      if (node && (node.nextSibling || document.readyState !== "loading")) {
        const ret = node.textContent ?? "";
        node.remove();
        return ret;
      }
      if (document.readyState !== "loading") throw new Damaged(`block ${n + 1} of ${this.known.blocks.length} is missing: the page is truncated`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  async block(n: number): Promise<Uint8Array> {
    let text = this.texts.get(n);
    if (text === undefined) this.texts.set(n, (text = await this.text(n)));
    const [, size, crc] = this.known.blocks[n];
    try {
      return await inflate(fromBase64(text), size, crc);
    } catch (e) {
      throw new Damaged(`block ${n + 1} is damaged: ${(e as Error).message}`);
    }
  }

  async missing(): Promise<string> {
    while (document.readyState === "loading") await new Promise((done) => setTimeout(done, 100));
    return document.getElementById("end") ? "" : "This file is truncated: some of the trace is missing.";
  }
}

/** What a server has read so far: block 0 with its length in front, and all others. */
class PictureSource implements Source {
  private readonly known: Info;
  private readonly places: number[] = [];

  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    this.known = checked(JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as Info);
    let at = end;
    for (const block of this.known.blocks) {
      this.places.push(at);
      at += block[5];
    }
  }

  info(): Promise<Info> {
    return Promise.resolve(this.known);
  }

  block(n: number): Promise<Uint8Array> {
    const [, size, crc, , , packed] = this.known.blocks[n];
    return inflate(this.bytes.subarray(this.places[n], this.places[n] + packed), size, crc);
  }
}

/** Blocks from `orma view`. */
export class ServerSource implements Source {
  private known!: Info;
  private generation?: string; // of a trace that grows: there are several servers, one after the other
  private tellGone!: () => void;
  readonly gone = new Promise<void>((done) => (this.tellGone = done));

  constructor(private readonly token: string, private readonly follows = false) {}

  private async get(path: string, body?: string, fine?: number): Promise<Response> {
    const headers: Record<string, string> = { "X-Orma-Token": this.token };
    if (this.generation !== undefined) headers["X-Orma-Generation"] = this.generation;
    const init: RequestInit = { headers, cache: "no-store" };
    if (body !== undefined) {
      init.method = "POST";
      init.body = body;
    }
    let ret: Response | undefined;
    // Between two servers an answer may be cut off.
    for (let tries = this.follows || this.generation !== undefined ? 20 : 1; !ret; tries--) {
      try {
        ret = await fetch(path, init);
      } catch {
        if (tries <= 1) throw new Error("The server is gone. Start it again: orma view TRACE");
        await new Promise((done) => setTimeout(done, 100));
      }
    }
    if (ret.status === 403) throw new Error("The server does not know this page. Open the link that orma view printed.");
    if (!ret.ok && ret.status !== fine) throw new Error(`the server answered ${ret.status} to ${path}`);
    return ret;
  }

  async info(waiting: (how: Waiting) => unknown): Promise<Info> {
    let seen = 0; // pictures
    for (let pause = 10; ; pause = Math.min(pause * 2, seen ? 200 : 20)) {
      const answer = await this.get("view/info");
      if (answer.status !== 202) {
        const generation = answer.headers.get("X-Orma-Generation");
        if (generation !== null) this.generation = generation;
        this.known = checked((await answer.json()) as Info);
        return this.known;
      }
      const { read, all, picture } = (await answer.json()) as { read: number; all: number; picture: number };
      const newer = picture > seen ? await this.picture() : undefined;
      seen = picture;
      await waiting(newer ? { read, all, picture: newer } : { read, all });
      await new Promise((done) => setTimeout(done, pause));
    }
  }

  /** There is none any more once the trace is packed. */
  private async picture(): Promise<Source | undefined> {
    const answer = await this.get("view/picture", undefined, 404);
    return answer.ok ? new PictureSource(new Uint8Array(await answer.arrayBuffer())) : undefined;
  }

  async block(n: number): Promise<Uint8Array> {
    const [, size, crc] = this.known.blocks[n];
    const answer = await this.get(`view/block/${n + 1}`, undefined, 410);
    if (answer.status === 410) {
      this.tellGone();
      return new Promise(() => {}); // whoever waits for it is replaced, too
    }
    return inflate(new Uint8Array(await answer.arrayBuffer()), size, crc);
  }

  async next(): Promise<Source | undefined> {
    while (this.generation !== undefined) {
      const { generation, ended } = (await (await this.get("view/next")).json()) as { generation: number; ended: boolean };
      if (String(generation) !== this.generation) return new ServerSource(this.token, true);
      if (ended) return undefined;
      await new Promise((done) => setTimeout(done, 250));
    }
    return undefined;
  }

  async sql(text: string): Promise<Answer> {
    return (await (await this.get("view/sql", text)).json()) as Answer;
  }
}
