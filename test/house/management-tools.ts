/** Reads `management-tools.md`, where it is written down which management tools there are. */
import { readFileSync } from 'node:fs';

/** A management tool as it has to be. */
export interface RequiredTool {
  readonly name: string;
  readonly category: string;
  readonly effect: string;
  readonly external: boolean;
  readonly privileged: boolean;
  readonly unattended: boolean;
}

/** All of them, in the order of the table. */
export function requiredTools(): RequiredTool[] {
  const text = readFileSync(new URL('management-tools.md', import.meta.url), 'utf8');
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) => {
    const [, name = '', category = '', effect = '', external, privileged, unattended] = row
      .split('|')
      .map((cell) => cell.trim());
    const isSaid = (cell: string | undefined) => cell !== undefined && cell !== '';
    return {
      name,
      category,
      effect,
      external: isSaid(external),
      privileged: isSaid(privileged),
      unattended: isSaid(unattended),
    };
  });
}
