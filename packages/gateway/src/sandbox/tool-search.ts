/** Finds tools by words: in their name, their description and the title of their connection. */
import type { CodeTool } from './tool-universe.ts';

interface Words {
  readonly name: string;
  readonly description: string;
  readonly connection: string;
}

// Together they bound the time of a search, whatever is asked and however long descriptions are.
const MOST_TOKENS = 16;
const MOST_CHARACTERS = 1_000;

// Kept for as long as its tool is: a catalog that has not changed is not read again.
const wordsOf = new WeakMap<CodeTool, Words>();

/** The best tools for a query, best first; the first by name when it has no words. */
export function searchTools(tools: readonly CodeTool[], query: string, limit: number): CodeTool[] {
  const whole = query.trim().toLowerCase();
  const words = whole.split(/[\s_\-./]/).filter((token) => token.length >= 2);
  const tokens = [...new Set(words)].slice(0, MOST_TOKENS);
  const byName = (a: CodeTool, b: CodeTool) => (a.name < b.name ? -1 : 1);
  if (tokens.length === 0) return tools.toSorted(byName).slice(0, limit);
  return tools
    .map((tool) => ({ tool, score: scoreOf(lowered(tool), tokens, whole) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || byName(a.tool, b.tool))
    .slice(0, limit)
    .map(({ tool }) => tool);
}

function scoreOf({ name, description, connection }: Words, tokens: readonly string[], whole: string): number {
  // A name of several words is one token to whoever knows it.
  let score = name === whole && !tokens.includes(whole) ? 10 : 0;
  for (const token of tokens) {
    if (name === token) score += 10;
    if (name.includes(token)) score += 3;
    if (description.includes(token)) score += 2;
    if (connection.includes(token)) score += 1;
  }
  return score;
}

function lowered(tool: CodeTool): Words {
  const known = wordsOf.get(tool);
  if (known !== undefined) return known;
  const words = {
    name: tool.name.toLowerCase(),
    description: tool.description.slice(0, MOST_CHARACTERS).toLowerCase(),
    connection: tool.connection.toLowerCase(),
  };
  wordsOf.set(tool, words);
  return words;
}
