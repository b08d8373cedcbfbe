/** A file's text, or why it can't be read as text. */
export type Decoded = { readonly text: string } | { readonly failure: string };

/**
 * UTF-8, or UTF-16 with a byte order mark; the mark is not part of the text. Anything else is refused by name, so that
 * no quote ever holds a replacement character that the file does not.
 */
export function decodeRunbook(bytes: Uint8Array): Decoded {
  const start = [...bytes.subarray(0, 4)];
  if (matches(start, [0xff, 0xfe, 0, 0]) || matches(start, [0, 0, 0xfe, 0xff])) return refuse("UTF-32");
  if (matches(start, [0xff, 0xfe])) return decode("utf-16le", bytes, "UTF-16 (little endian)");
  if (matches(start, [0xfe, 0xff])) return decode("utf-16be", bytes, "UTF-16 (big endian)");
  if (bytes.includes(0))
    return refuse(looksLikeUtf16(bytes) ? "UTF-16 without a byte order mark" : "binary data (NUL)");
  return decode("utf-8", bytes, "not UTF-8, perhaps Latin-1 or Windows-1252");
}

function matches(start: readonly number[], mark: readonly number[]): boolean {
  return mark.every((byte, index) => start[index] === byte);
}

function decode(encoding: string, bytes: Uint8Array, name: string): Decoded {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return refuse(name);
  }
}

function refuse(name: string): Decoded {
  return { failure: `invalid encoding: ${name}; save the file as UTF-8` };
}

function looksLikeUtf16(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 512);
  const zeros = (parity: number) => head.filter((byte, index) => index % 2 === parity && byte === 0).length;
  return Math.max(zeros(0), zeros(1)) > head.length / 5;
}
