/** The places in a client's file where the client puts the value of a variable. */
import type { ClientName } from '../client-configuration.ts';

/** A variable of the environment that the doctor runs in. */
export type Lookup = (name: string) => string | undefined;

/** What a text becomes: the text, a variable that is not set here, or something that the client asks a person for. */
export type Filled = { readonly text: string } | { readonly unset: string } | { readonly isAsked: true };

const PLAIN = /\$\{([A-Za-z_]\w{0,127})(?::-([^}]{0,200}))?\}/g;
const EDITOR = /\$\{env:([A-Za-z_]\w{0,127})\}/g;

// What one client fills in, another one sends as it stands.
const SYNTAX: Readonly<Record<ClientName, RegExp>> = {
  'Claude Code': PLAIN,
  Cursor: EDITOR,
  'VS Code': EDITOR,
  opencode: /\{env:([A-Za-z_]\w{0,127})\}/g,
  Codex: PLAIN,
  'Gemini CLI': /\$(?:\{([A-Za-z_]\w{0,127})\}|([A-Za-z_]\w{0,127}))/g,
};

/** Fills the variables of a text in as its client would. */
export function fillVariables(client: ClientName, text: string, lookup: Lookup): Filled {
  if (client === 'VS Code' && text.includes('${input:')) return { isAsked: true };
  let unset: string | undefined;
  const filled = text.replace(SYNTAX[client], (_whole, first?: string, second?: string) => {
    const name = client === 'Gemini CLI' ? (first ?? second ?? '') : (first ?? '');
    const fallback = client === 'Claude Code' ? second : undefined;
    const value = lookup(name) ?? fallback;
    if (value === undefined) unset = name;
    return value ?? '';
  });
  return unset === undefined ? { text: filled } : { unset };
}

/** The first variable that a text names, as its client reads it. */
export function variableIn(client: ClientName, text: string): string | undefined {
  const [match] = text.matchAll(SYNTAX[client]);
  return match?.[1] ?? match?.[2];
}

/** The input by which VS Code asks a person for what a text needs. */
export function inputIn(client: ClientName, text: string): string | undefined {
  return client === 'VS Code' ? /\$\{input:([\w.-]{1,64})\}/.exec(text)?.[1] : undefined;
}
