/** Tools that wait for somebody to agree to them, and how that is said. */
import { commandWord } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting } from '../actions.ts';
import { word } from '../doctor/shell-word.ts';
import { definitionsIn } from './found.ts';

/** The names of the tools of a connection that are held. */
export async function heldIn(acting: Pick<Acting, 'host' | 'caller'>, id: string): Promise<string[]> {
  const all = await (await definitionsIn(acting)).list(acting.caller, id);
  return all.filter(({ state }) => state === 'held').map(({ tool }) => tool);
}

/** How many are held, and what to do about it. */
export function heldLine(
  { id, title }: { readonly id: string; readonly title: string },
  count: number,
): string {
  const tools = count === 1 ? '1 tool of' : `${count} tools of`;
  const verb = count === 1 ? 'is' : 'are';
  return `${tools} ${printable(title)} ${verb} held until approved: "${commandWord()} connect definitions ${word(id)}" shows what is new, "${commandWord()} connect approve ${word(id)} TOOL..." agrees to it.`;
}
