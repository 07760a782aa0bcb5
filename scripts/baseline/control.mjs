// A program of a few instructions that needs AVX2. An emulated processor without it has to refuse it: only then does a
// program that ends well on that processor say anything.

const BASE = 0x400000;
const HEADERS = 64 + 56;

/** `vpaddd ymm0, ymm0, ymm0`, then `exit(0)` as Linux takes it. */
const CODE = [
  [0xc5, 0xfd, 0xfe, 0xc0],
  [0x31, 0xff],
  [0xb8, 60, 0, 0, 0],
  [0x0f, 0x05],
].flat();

/** The program as an ELF file for Linux on x86-64. */
export function avx2Program() {
  const file = Buffer.alloc(HEADERS + CODE.length);
  // 64 bits, little endian, version 1; an executable for x86-64.
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(62, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(BASE + HEADERS), 24);
  file.writeBigUInt64LE(64n, 32);
  for (const [at, size] of [64, 56, 1, 64, 0, 0].entries()) file.writeUInt16LE(size, 52 + at * 2);
  // One segment, loaded to be read and executed: the whole file.
  file.writeUInt32LE(1, 64);
  file.writeUInt32LE(5, 68);
  const segment = [0, BASE, BASE, file.length, file.length, 0x1000];
  for (const [at, value] of segment.entries()) file.writeBigUInt64LE(BigInt(value), 72 + at * 8);
  file.set(CODE, HEADERS);
  return file;
}
