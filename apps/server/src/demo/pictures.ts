/** Pictures of pages that never were: drawn in code, so that the demo brings no files along. */
import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

/** A box of a page: where, how large, which colour. */
export type Box = readonly [x: number, y: number, width: number, height: number, colour: Colour];

const WIDTH = 640;
const HEIGHT = 400;

export const INK: Colour = [38, 44, 58];
export const SOFT: Colour = [196, 203, 214];
export const PAPER: Colour = [255, 255, 255];
export const BACK: Colour = [243, 245, 249];
export const ACCENT: Colour = [63, 94, 219];
export const GOOD: Colour = [32, 150, 98];
export const BAD: Colour = [212, 56, 62];
export const SUN: Colour = [238, 170, 48];

/** Lines of text, as they look from far away. */
export function lines(x: number, y: number, widths: readonly number[], colour: Colour = SOFT): Box[] {
  return widths.map((width, index) => [x, y + index * 16, width, 8, colour] as const);
}

/** A page with a bar at the top, what is on it, and a frame around the place that somebody pointed at. */
export function drawPage(boxes: readonly Box[], [x, y, width, height]: readonly number[] = []): Buffer {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  const fill = ([left, top, wide, high, colour]: Box) => {
    for (let row = Math.max(0, top); row < Math.min(HEIGHT, top + high); row += 1)
      for (let column = Math.max(0, left); column < Math.min(WIDTH, left + wide); column += 1)
        pixels.set(colour, (row * WIDTH + column) * 3);
  };
  fill([0, 0, WIDTH, HEIGHT, BACK]);
  fill([0, 0, WIDTH, 44, PAPER]);
  fill([20, 14, 64, 16, ACCENT]);
  for (const left of [420, 480, 540]) fill([left, 18, 44, 8, SOFT]);
  fill([604, 12, 20, 20, SUN]);
  for (const box of boxes) fill(box);
  if (x !== undefined && y !== undefined && width !== undefined && height !== undefined) {
    const [left, top, wide, high] = [x - 4, y - 4, width + 8, height + 8];
    fill([left, top, wide, 3, BAD]);
    fill([left, top + high - 3, wide, 3, BAD]);
    fill([left, top, 3, high, BAD]);
    fill([left + wide - 3, top, 3, high, BAD]);
  }
  return toPng(pixels);
}

function toPng(pixels: Buffer): Buffer {
  const rows: Buffer[] = [];
  for (let row = 0; row < HEIGHT; row += 1)
    rows.push(Buffer.from([0]), pixels.subarray(row * WIDTH * 3, (row + 1) * WIDTH * 3));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
