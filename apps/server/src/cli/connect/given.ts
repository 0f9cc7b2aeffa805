/** What somebody gave to a command on connections: its flags, and the program behind `--`. */

export const USAGE =
  'Usage: parley connect add NAME URL | add NAME -- COMMAND ARGS... | import [FILE | -] | list | test NAME | tools NAME | refresh NAME | definitions NAME | approve NAME TOOL... | authorise NAME | token NAME --stdin | change NAME | enable NAME | disable NAME | remove NAME | virtual list | virtual create NAME | virtual change NAME. "parley connect --help" tells more.';

/** All flags of these commands. */
export const FLAGS = {
  title: 'text',
  url: 'text',
  type: 'text',
  token: 'text',
  'token-stdin': 'switch',
  header: 'list',
  pinning: 'text',
  id: 'text',
  env: 'list',
  cwd: 'text',
  force: 'switch',
  all: 'switch',
  stdin: 'switch',
  remove: 'switch',
  from: 'text',
  'dry-run': 'switch',
  only: 'list',
  replace: 'switch',
  with: 'list',
  without: 'list',
} as const;

export type Flag = keyof typeof FLAGS;

/** The flags that somebody gave, by name. */
export interface Given {
  text(flag: Flag): string | undefined;
  list(flag: Flag): readonly string[];
  isOn(flag: Flag): boolean;
  /** True when it was given at all. */
  has(flag: Flag): boolean;
  /** The program and its arguments behind `--`. */
  readonly program: readonly string[] | undefined;
}

/** Reads what the command line was parsed to. */
export function givenIn(extras: Partial<Record<Flag, unknown>>, program: Given['program']): Given {
  return {
    program,
    text: (flag) => (typeof extras[flag] === 'string' ? extras[flag] : undefined),
    list: (flag) => (Array.isArray(extras[flag]) ? extras[flag].map(String) : []),
    isOn: (flag) => extras[flag] === true,
    has: (flag) => extras[flag] !== undefined,
  };
}
