/** How names of agents and bundles are compared: without case. */
export function keyOfName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}
