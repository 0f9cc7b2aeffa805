/** Owns telling addresses inside a network from others, as far as their look says it. */
const PRIVATE =
  /^(?:localhost|.+\.(?:local|internal|lan|home|localhost)|127\..+|10\..+|192\.168\..+|172\.(?:1[6-9]|2\d|3[01])\..+|\[(?:::1|f[cde].+)\])$/i;

/** Whether an address looks private; the server decides what is. */
export function isPrivate(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && (PRIVATE.test(host) || !host.includes('.'));
}
