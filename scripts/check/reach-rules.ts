/** Owns the rules on who touches the outside: database drivers, the environment, other programs, outbound requests. */
import type { Finding } from './finding.ts';
import { isBrowserFile } from './import-rules.ts';
import type { ImportUse } from './imports.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { identifierName, isGlobalUse, isNode, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const DRIVERS =
  /^(better-sqlite3|sqlite3|node:sqlite|pg|pg-[a-z-]+|postgres|mysql2?|@libsql\/.+|libsql)(\/|$)/;
const CONFIG_FILE = 'apps/server/src/config.ts';
const EGRESS_FOLDER = 'packages/kit/src/egress/';
const SERVER_FOLDERS = ['packages/http/', 'packages/gateway/', 'apps/server/'];

const OUTBOUND_GLOBALS = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);
const OUTBOUND_CLASSES = new Set(['StreamableHTTPClientTransport', 'SSEClientTransport']);
const OUTBOUND_MODULES = /^(undici|(node:)?(https?|http2|net|tls|dgram))(\/|$)/;
const SERVER_MODULES = /^(node:)?(https?|http2|net)$/;
const HARMLESS_NET_NAMES = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress']);
const CLIENT_NAMES = new Set([
  'request',
  'get',
  'Agent',
  'globalAgent',
  'ClientRequest',
  'connect',
  'createConnection',
  'Socket',
]);

const PROGRAM_MODULES = /^((node:)?(child_process|cluster)|@parley\/kit\/programs)$/;
// The whole list of what may start a program: the launchers, which start the Node that npm installed; the place of the
// kit that binds a program to this process; the client of STDIO connections, which starts what an administrator
// stored, on a server that allows it; SQL of callers on SQLite, which runs in a Node of its own because native code can
// only be ended with its process; and of agents the runner, which is the one program that the operator set, work tasks,
// which run git and the commands that an owner wrote down for a project, code, and plugins, which run in a Node of
// their own that may do nothing but compute.
const PROGRAM_STARTERS = [
  'apps/server/bin/',
  'packages/kit/src/programs/',
  'packages/gateway/src/upstream/stdio/',
  'packages/store/src/databases/sqlite-process.ts',
  'packages/agent/src/adapters/runner/program.ts',
  'packages/agent/src/services/code/code-process.ts',
  'packages/agent/src/services/plugins/process.ts',
  'packages/agent/src/services/work/program.ts',
];

const VIA_EGRESS = 'send the request through the egress guard in packages/kit/src/egress';

interface Spot {
  rule: string;
  offset: number;
  message: string;
}

/** Checks one file of a package or an app against the four rules. */
export function checkReach(file: SourceFile): Finding[] {
  if (!/^(packages|apps)\//.test(file.path)) return [];
  const spots = [
    ...findDrivers(file),
    ...findEnvironment(file),
    ...findPrograms(file),
    ...findOutbound(file),
  ];
  return spots.map(({ rule, offset, message }) => ({
    rule,
    file: file.path,
    line: lineAt(file.text, offset),
    message,
  }));
}

function findDrivers(file: SourceFile): Spot[] {
  if (file.path.startsWith('packages/store/')) return [];
  return file.imports
    .filter((use) => DRIVERS.test(use.specifier))
    .map((use) => ({
      rule: 'driver',
      offset: use.offset,
      message: `only packages/store touches a database driver; use its interface instead of '${use.specifier}'`,
    }));
}

function findEnvironment(file: SourceFile): Spot[] {
  if (file.path === CONFIG_FILE || file.isTest) return [];
  const uses = file.imports.filter((use) => /^(node:)?process$/.test(use.specifier));
  const names = uses.flatMap((use) => use.names.map((name) => ({ ...name, offset: use.offset })));
  const offsets = names.filter(({ imported }) => imported === 'env').map(({ offset }) => offset);
  const locals = new Set(['process', ...wholeModuleNames(uses)]);
  const isProcess = (node: unknown): boolean =>
    locals.has(identifierName(node) ?? '') ||
    (isNode(node) && node.type === 'MemberExpression' && propertyName(node) === 'process');
  walkValues(file.program, (node) => {
    const isRead = node.type === 'MemberExpression' && propertyName(node) === 'env';
    if (isRead && isProcess(node['object'])) offsets.push(node.start);
    const source = node['init'] ?? node['right'];
    if (isProcess(source) && patternKeys(node['id'] ?? node['left']).includes('env'))
      offsets.push(node.start);
  });
  const message = `only ${CONFIG_FILE} reads process.env; take the value in as an argument`;
  return offsets.map((offset) => ({ rule: 'environment', offset, message }));
}

function findPrograms(file: SourceFile): Spot[] {
  if (file.isTest || PROGRAM_STARTERS.some((place) => file.path.startsWith(place))) return [];
  return file.imports
    .filter((use) => !use.isTypeOnly && PROGRAM_MODULES.test(use.specifier))
    .map((use) => ({
      rule: 'program',
      offset: use.offset,
      message: `'${use.specifier}' starts programs, and nothing that serves requests may; add a place that must to programStarters`,
    }));
}

function findOutbound(file: SourceFile): Spot[] {
  if (file.path.startsWith(EGRESS_FOLDER) || file.isTest || isBrowserFile(file.path)) return [];
  return [
    ...file.imports.flatMap((use) => checkOutboundImport(file, use)),
    ...findClientMembers(file),
    ...findOutboundGlobals(file),
  ];
}

function checkOutboundImport(file: SourceFile, use: ImportUse): Spot[] {
  if (use.isTypeOnly || !OUTBOUND_MODULES.test(use.specifier)) return [];
  const isServer = SERVER_FOLDERS.some((folder) => file.path.startsWith(folder));
  const mayServe = isServer && SERVER_MODULES.test(use.specifier) && !use.isDynamic;
  const isNet = /^(node:)?net$/.test(use.specifier);
  const refused = use.names.filter(({ imported }) =>
    mayServe ? CLIENT_NAMES.has(imported) : !(isNet && HARMLESS_NET_NAMES.has(imported)),
  );
  if (refused.length === 0 && use.names.length > 0) return [];
  if (refused.length === 0 && mayServe) return [];
  const what = refused.map(({ imported }) => imported).join(', ') || 'it';
  const message = `importing ${what} from '${use.specifier}' can reach outside; ${VIA_EGRESS}`;
  return [{ rule: 'egress', offset: use.offset, message }];
}

function findClientMembers(file: SourceFile): Spot[] {
  const uses = file.imports.filter((use) => !use.isTypeOnly && OUTBOUND_MODULES.test(use.specifier));
  const locals = wholeModuleNames(uses);
  const spots: Spot[] = [];
  walkValues(file.program, (node) => {
    const reads =
      node.type === 'MemberExpression' && locals.has(identifierName(node['object']) ?? '')
        ? [propertyName(node) ?? '']
        : locals.has(identifierName(node['init']) ?? '')
          ? patternKeys(node['id'])
          : [];
    for (const name of reads.filter((read) => CLIENT_NAMES.has(read))) {
      spots.push({ rule: 'egress', offset: node.start, message: `'${name}' opens a request; ${VIA_EGRESS}` });
    }
  });
  return spots;
}

function findOutboundGlobals(file: SourceFile): Spot[] {
  const spots: Spot[] = [];
  const report = (node: SyntaxNode, name: string): void => {
    spots.push({ rule: 'egress', offset: node.start, message: `'${name}' opens a request; ${VIA_EGRESS}` });
  };
  const isGlobalObject = (node: unknown): boolean =>
    ['globalThis', 'global', 'self', 'window'].includes(identifierName(node) ?? '');
  walkValues(file.program, (node, ancestors) => {
    const name = identifierName(node) ?? '';
    if (OUTBOUND_GLOBALS.has(name) && isGlobalUse(node, ancestors)) report(node, name);
    const read = node.type === 'MemberExpression' && isGlobalObject(node['object']) ? propertyName(node) : '';
    const taken = isGlobalObject(node['init']) ? patternKeys(node['id']) : [];
    for (const key of [read ?? '', ...taken]) if (OUTBOUND_GLOBALS.has(key)) report(node, key);
    if (isUnguardedTransport(node)) report(node, identifierName(node['callee']) ?? '');
  });
  return spots;
}

function isUnguardedTransport(node: SyntaxNode): boolean {
  if (node.type !== 'NewExpression' || !OUTBOUND_CLASSES.has(identifierName(node['callee']) ?? ''))
    return false;
  const options: unknown = Array.isArray(node['arguments']) ? node['arguments'][1] : undefined;
  return !patternKeys(options).includes('fetch');
}

function wholeModuleNames(uses: ImportUse[]): Set<string> {
  const names = uses.flatMap((use) => use.names);
  return new Set(
    names
      .filter(({ imported, local }) => local !== '' && (imported === '*' || imported === 'default'))
      .map(({ local }) => local),
  );
}

function patternKeys(pattern: unknown): string[] {
  if (!isNode(pattern) || !Array.isArray(pattern['properties'])) return [];
  return pattern['properties'].filter(isNode).map((property) => propertyName(property) ?? '');
}
