/** The servers in Codex's `config.toml`: the few kinds of lines that such entries have, not all of TOML. */

/** The values of one table: texts, lists of texts, and tables of texts. */
export type TomlTable = Record<string, string | string[] | Record<string, string>>;

const HEADER = /^\[mcp_servers\.(?:"([^"]{1,128})"|([\w-]{1,128}))(?:\.(\w{1,64}))?\]$/;
const PAIR = /^(?:"([^"]{1,128})"|([\w-]{1,128}))\s{0,20}=\s{0,20}(.*)$/s;
// A text without its end goes to the end of the line, so that every pattern reads a line once.
const TEXT = /"(?:[^"\\]|\\.?)*(?:"|$)|'[^']*(?:'|$)/gs;
const TEXT_OR_COMMENT = /"(?:[^"\\]|\\.?)*(?:"|$)|'[^']*(?:'|$)|#.*/g;
const INLINE_PAIR =
  /(?:"([^"]{1,128})"|(?<![\w-])([\w-]{1,128}))\s{0,20}=\s{0,20}("(?:[^"\\]|\\.?)*(?:"|$)|'[^']*(?:'|$))/gs;

/** The tables `mcp_servers.NAME` by name; what they do not hold is left out. */
export function readCodexServers(text: string): Record<string, TomlTable> {
  const servers = new Map<string, TomlTable>();
  let table: Record<string, unknown> | undefined;
  for (const statement of statements(text)) {
    if (statement.startsWith('[')) {
      table = tableFor(servers, HEADER.exec(statement));
      continue;
    }
    const [, quoted, bare, value = ''] = PAIR.exec(statement) ?? [];
    const name = quoted ?? bare;
    if (table !== undefined && name !== undefined) table[name] = valueOf(value);
  }
  return Object.fromEntries(servers);
}

function tableFor(servers: Map<string, TomlTable>, header: RegExpExecArray | null) {
  const name = header?.[1] ?? header?.[2];
  if (name === undefined) return undefined;
  const server = servers.get(name) ?? Object.create(null);
  servers.set(name, server);
  const part = header?.[3];
  return part === undefined ? server : (server[part] = Object.create(null));
}

/** One header or pair each, with lists that go over several lines put together. */
function statements(text: string): string[] {
  const found: string[] = [];
  let open: string[] = [];
  let depth = 0;
  for (const line of text.split('\n')) {
    const code = line.replace(TEXT_OR_COMMENT, (part) => (part.startsWith('#') ? '' : part)).trim();
    if (code === '') continue;
    open.push(code);
    if (open.length > 1 || !code.startsWith('[')) depth += depthOf(code);
    if (depth > 0) continue;
    found.push(open.join(' '));
    open = [];
    depth = 0;
  }
  return found;
}

function depthOf(code: string): number {
  const outside = code.replace(TEXT, '');
  return (outside.match(/[[{]/g)?.length ?? 0) - (outside.match(/[\]}]/g)?.length ?? 0);
}

function valueOf(code: string): TomlTable[string] {
  if (code.startsWith('[')) return (code.match(TEXT) ?? []).map(textOf);
  if (!code.startsWith('{')) return textOf(code);
  const pairs = [...code.matchAll(INLINE_PAIR)];
  return Object.fromEntries(
    pairs.map(([, quoted, bare, value = '']) => [quoted ?? bare ?? '', textOf(value)]),
  );
}

function textOf(code: string): string {
  if (code.startsWith("'")) return code.slice(1, -1);
  if (!code.startsWith('"')) return code;
  try {
    return String(JSON.parse(code));
  } catch {
    return code.slice(1, -1);
  }
}
