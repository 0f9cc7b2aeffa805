/** Cutting a long text where a line ends. */

/** The text, or as many of its first lines as have so many bytes. */
export function cutAtLine(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const end = bytes.lastIndexOf('\n', maxBytes - 1);
  // A single line of that length has no end that could be kept.
  return bytes.subarray(0, end + 1).toString();
}
