/** The name of the branch of a work task. */
import { randomInt } from 'node:crypto';

const MAX_PART = 40;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `agent/<agent>/<task>-<base36 time>-<6 random>`, whatever people called the two. */
export function branchName(agent: string, description: string, now: number): string {
  const random = Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `agent/${slug(agent, 'agent')}/${slug(description, 'task')}-${now.toString(36)}-${random}`;
}

function slug(text: string, otherwise: string): string {
  const words = text
    .slice(0, 4 * MAX_PART)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, MAX_PART).replace(/-$/, '') || otherwise;
}
