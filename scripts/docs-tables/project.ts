/** Owns the tables about the project itself: runtime dependencies, bench results, the example in the docs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceTree } from '../check/source-tree.ts';
import { code, markdownTable } from './markdown.ts';

const reasons: Record<string, string> = {
  '@jitl/quickjs-wasmfile-release-sync':
    'the engine that runs code of agents, as WebAssembly; loaded by the first run',
  '@modelcontextprotocol/client':
    'the official MCP client, for the in-memory test client of the kit and for other servers behind this one',
  '@modelcontextprotocol/node': "connects the SDK's handlers to Node's HTTP server",
  '@modelcontextprotocol/server':
    'the official MCP server: both protocol eras, everything outside the hot path',
  '@octokit/core': 'what agents ask of GitHub; loaded by the first request',
  '@opentelemetry/api': 'span and context types of tracing',
  '@opentelemetry/exporter-metrics-otlp-http': 'sends metrics by OTLP; loaded only with `--otlp-endpoint`',
  '@opentelemetry/exporter-trace-otlp-http': 'sends traces by OTLP; loaded only with `--otlp-endpoint`',
  '@opentelemetry/resources': 'names the service in traces and metrics; loaded only with `--otlp-endpoint`',
  '@opentelemetry/sdk-metrics': 'collects the duration metric; loaded only with `--otlp-endpoint`',
  '@opentelemetry/sdk-trace-base': 'makes one span per tool call; loaded only with `--otlp-endpoint`',
  '@seriousme/openapi-schema-validator':
    'whether an OpenAPI document keeps to its rules; the smallest of those that are kept up, and it fetches nothing; loaded in the thread that reads a document',
  '@simplewebauthn/server':
    'passkeys: what browsers are asked, and whether their answers are worth anything; loaded by the first passkey',
  '@zxcvbn-ts/language-common':
    'the most common passwords, which nobody may choose; loaded by the first password that is chosen',
  ajv: 'holds arguments and results against the JSON Schemas of upstreams; the validator of the SDK finds all faults, and reads what values inherit; loaded with the first check',
  'ajv-formats': 'the formats of those schemas, as the SDK has them',
  'better-sqlite3':
    'the embedded database; ships its compiled binaries inside the package, so no install script runs',
  canonicalize: 'canonical JSON (RFC 8785), of which agents sign the hash',
  croner: 'when a cron plan fires next, in its time zone; loaded by the first plan',
  'csv-parse': 'CSV files of imports, read as a stream; loaded by the import only',
  hono: 'the router of REST and pages, and the sign-in cookie; loaded by the first request that needs them',
  ignore: 'what `.gitignore` leaves out of the code of a project; loaded in the process that reads it',
  'json-p3': 'the filters of subscriptions: RFC 9535 JSONPath; loaded by the first filter',
  kysely: 'typed queries that run on both databases',
  'markdown-it':
    'CommonMark as safe HTML on the public pages and in the feed; loaded by the first text shown',
  oauth4webapi: 'OAuth with the servers behind connections; loaded by the first authorization or renewal',
  'oxc-parser':
    'the parser behind symbols in the code of projects; native, loaded in the process that reads it',
  pg: 'PostgreSQL; loaded only with `--database-url`',
  pino: 'structured log lines',
  'prom-client': 'the text of `/metrics`',
  'quickjs-emscripten-core': 'how the server talks to that engine; loaded by the first run',
  undici: 'outbound requests whose connection can be pinned to a checked address',
  ws: 'the browser link of annotations; loaded by the first page that connects',
  yaml: 'OpenAPI documents that are YAML; loaded in the thread that reads one',
  zod: 'input and output schemas of tools, and the JSON Schemas made from them',
  '@base-ui/react':
    'dialogs, menus, tabs and selects of the console that keyboards and screen readers can use; in the browser only',
  '@codemirror/autocomplete': 'completion in the editors of the console; loaded with them',
  '@codemirror/commands': 'keys and undo in the editors of the console; loaded with them',
  '@codemirror/lang-javascript': 'JavaScript in the editor of virtual tools; loaded with it',
  '@codemirror/lang-json': 'JSON in the editors of the console; loaded with them',
  '@codemirror/language': 'indentation, brackets and colours in the editors of the console; loaded with them',
  '@codemirror/lint': 'faults beside the line in the editors of the console; loaded with them',
  '@codemirror/state': 'the text of the editors of the console; loaded with them',
  '@codemirror/view': 'the editors of the console; loaded by the first screen that edits',
  '@lezer/highlight': 'names of what the editors of the console colour; loaded with them',
  '@simplewebauthn/browser': 'passkeys in the console: the browser’s side',
  '@tanstack/react-query': 'what the console has read, and when it is read again',
  '@tanstack/react-router': 'addresses of the console, and screens that load when they are opened',
  '@tanstack/react-table': 'tables of the console',
  '@tanstack/react-virtual': 'rows of long lists that exist only while they are seen',
  '@xyflow/react': 'workflows of agents as graphs; loaded by the screen that shows one',
  cmdk: 'the palette of the console',
  cronstrue: 'cron expressions in words; loaded by the schedules of agents',
  'lucide-react': 'icons of the console, one by one',
  react: 'the console',
  'react-dom': 'the console in a browser',
  uplot: 'charts of the console; loaded by the first one',
};

interface Verdict {
  readonly id: string;
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly verdict: string;
}

interface BenchResults {
  readonly date: string;
  readonly commit: string | null;
  readonly verdicts: readonly Verdict[];
}

/** The tables by the name in their markers, for the checkout at `root`. */
export function projectTables(root: string): Record<string, () => string> {
  return {
    dependencies: () => dependencyTable(root),
    bench: () => benchTable(root),
    'hello-tool': () => {
      const source = readFileSync(join(root, 'examples/hello-tool/server.ts'), 'utf8');
      return `\`\`\`ts\n${source.trim()}\n\`\`\``;
    },
  };
}

function dependencyTable(root: string): string {
  const versions = new Map<string, string>();
  const users = new Map<string, string[]>();
  for (const { folder, manifest } of readSourceTree(root).packages) {
    if (folder.startsWith('examples/')) continue;
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith('@parley/')) continue;
      versions.set(name, version);
      users.set(name, [...(users.get(name) ?? []), folder]);
    }
  }
  const rows = [...versions]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, version]) => {
      const reason = reasons[name];
      if (reason === undefined) {
        throw new Error(`Say in scripts/docs-tables/project.ts why ${name} is needed, or remove it.`);
      }
      return [code(name), version, (users.get(name) ?? []).map(code).join(', '), reason];
    });
  return markdownTable(['package', 'version', 'used by', 'why'], rows);
}

function benchTable(root: string): string {
  const file = join(root, 'bench/results.json');
  if (!existsSync(file)) return 'There is no result file yet. `npm run bench` writes it.';
  // Written by the bench itself; a wrong shape shows as a table that no reviewer would pass.
  const { date, commit, verdicts } = JSON.parse(readFileSync(file, 'utf8')) as BenchResults;
  const rows = verdicts.map(({ id, what, measured, target, verdict }) => [
    id,
    what,
    measured,
    target,
    verdict,
  ]);
  const table = markdownTable(['id', 'what', 'measured', 'target', 'verdict'], rows);
  return `Measured on ${date.slice(0, 10)} at commit ${code(commit ?? 'unknown')}.\n\n${table}`;
}
