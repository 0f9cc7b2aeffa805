/** `parley connect`: other MCP servers are connected here, by their address or as programs of this machine. */
import { loadConfig, UsageError } from '../config.ts';
import type { Action } from './actions.ts';
import { runAction } from './actions.ts';
import { add } from './connect/add.ts';
import { change, switching } from './connect/change.ts';
import { authorise, token } from './connect/credentials.ts';
import { approve, definitions, refresh } from './connect/definitions.ts';
import type { Flag, Given } from './connect/given.ts';
import { FLAGS, givenIn, USAGE } from './connect/given.ts';
import { importServers } from './connect/import.ts';
import { list, remove, test, tools } from './connect/show.ts';
import { virtual } from './connect/virtual.ts';
import { splitAtDashes } from './dashes.ts';
import type { Command } from './main.ts';

/** The flags that each action reads; any other one is a mistake that must not go unsaid. */
const READ: Readonly<Record<string, readonly Flag[]>> = {
  add: ['type', 'token', 'token-stdin', 'header', 'pinning', 'id', 'env', 'cwd'],
  import: ['from', 'dry-run', 'only', 'replace'],
  change: ['title', 'url', 'type', 'token', 'token-stdin', 'header', 'env', 'pinning'],
  virtual: ['title', 'with', 'without'],
  remove: ['force'],
  approve: ['all'],
  token: ['stdin', 'remove'],
};

/** Runs one of the commands on connections. */
export const connect: Command = (args, toolsets) => {
  const [own, program] = splitAtDashes(args);
  const { config, positionals, extras } = loadConfig(own, { extra: FLAGS, toolsets });
  const given = givenIn(extras, program);
  const flagged = (run: (...parts: [...Parameters<Action>, Given]) => ReturnType<Action>): Action => {
    return (acting, rest) => run(acting, rest, given);
  };
  const actions: Record<string, Action> = {
    add: flagged(add),
    import: flagged(importServers),
    list,
    test: named(test),
    tools: named(tools),
    change: flagged(change),
    enable: named(switching('active')),
    disable: named(switching('inactive')),
    virtual: flagged(virtual),
    remove: flagged(remove),
    refresh: named(refresh),
    definitions: named(definitions),
    approve: flagged(approve),
    authorise: named(authorise),
    authorize: named(authorise),
    token: flagged(token),
  };
  refuseStrayFlags(positionals[0] ?? '', extras, program);
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

/** An action on exactly one connection. */
function named(run: (...parts: [acting: Parameters<Action>[0], name: string]) => ReturnType<Action>): Action {
  return async (acting, [name, ...rest]) => {
    if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
    return run(acting, name);
  };
}

function refuseStrayFlags(action: string, extras: Partial<Record<Flag, unknown>>, program: Given['program']) {
  const read = Object.hasOwn(READ, action) ? (READ[action] ?? []) : [];
  // The names are those of the table above.
  const stray = (Object.keys(FLAGS) as Flag[]).find(
    (flag) => extras[flag] !== undefined && !read.includes(flag),
  );
  if (stray !== undefined)
    throw new UsageError(`--${stray} says nothing to "parley connect ${action}". ${USAGE}`);
  if (program !== undefined && action !== 'add') throw new UsageError(USAGE);
}
