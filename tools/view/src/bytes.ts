// Bytes of blocks: numbers, sums, unpacking. Files may be damaged: every read is checked.

export class Damaged extends Error {}

export class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  /** A number of 0 to 2^53; larger ones lose their lowest bits. */
  uint(): number {
    const bytes = this.bytes;
    let at = this.at;
    let byte = bytes[at++];
    if (byte === undefined) throw new Damaged("a block ends in the middle of a number");
    if (byte < 128) {
      this.at = at;
      return byte;
    }
    let ret = byte & 127;
    let factor = 128;
    do {
      byte = bytes[at++];
      if (byte === undefined || factor > 2 ** 63) throw new Damaged("a block has a number that does not end");
      ret += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    this.at = at;
    return ret;
  }

  int(): number {
    const n = this.uint();
    return n % 2 ? -(n + 1) / 2 : n / 2;
  }

  double(): number {
    if (this.at + 8 > this.bytes.length) throw new Damaged("a block ends in the middle of a number");
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
    this.at += 8;
    return view.getFloat64(0, true);
  }

  /** How many of something follow, each of which takes at least one byte. */
  count(least = 1): number {
    const n = this.uint();
    if (n * least > this.bytes.length - this.at) throw new Damaged("a block promises more than it has");
    return n;
  }

  take(len: number): Uint8Array {
    if (len > this.bytes.length - this.at) throw new Damaged("a block ends too early");
    this.at += len;
    return this.bytes.subarray(this.at - len, this.at);
  }
}

let table: Uint32Array | undefined;

export function crc32(bytes: Uint8Array): number {
  if (!table) {
    table = new Uint32Array(256);
    for (let n = 0; n < 256; n++) {
      let c = n;
      for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
      table[n] = c;
    }
  }
  let crc = ~0;
  for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const ret = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) ret[i] = binary.charCodeAt(i);
  return ret;
}

/** Unpacks a block, and checks that it is what was packed. */
export async function inflate(packed: Uint8Array<ArrayBuffer>, size: number, crc: number): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const ret = new Uint8Array(size);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new Damaged("a block is longer than its entry says");
    ret.set(value, at);
    at += value.length;
  }
  if (at !== size || crc32(ret) !== crc) throw new Damaged("the sum of a block is wrong: the file was changed or cut");
  return ret;
}
