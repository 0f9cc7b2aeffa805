/** Owns P4: what it costs to reach an upstream through Parley, against a raw pass-through and another proxy. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BESIDE, besideFault } from './beside-faults.ts';
import type { Beside, BesideFigures } from './beside-faults.ts';
import { bundleScript, bundleShipped } from './bundle.ts';
import { callTool } from './event-replica.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { startMcpProxy } from './mcp-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';
import { measurePoints } from './points.ts';
import type { Point, PointSettings, Target } from './points.ts';
import { searchTimes } from './search-times.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { sessionCost } from './session-calls.ts';
import type { SessionCost } from './session-calls.ts';
import { steadyCalls } from './steady-calls.ts';
import { exchange, modernBody, modernHeaders } from './wire.ts';

/** Everything P4 measures; what is absent was not measured. */
export interface GatewayFigures {
  /** `passthrough`, `gateway`, `bridged`, `stdio upstream`, `mcp-proxy` before that, and `virtual N list`. */
  points: Point[];
  /** 2025 clients: of a 2026 upstream, of a stdio upstream, and of that through mcp-proxy. */
  sessions: { bridged: SessionCost; stdio: SessionCost; mcpProxy?: SessionCost };
  /** Calls of one upstream alone, and while another one hangs. */
  hang: BesideFigures;
  /** The same beside upstreams that are broken otherwise; absent: not measured. */
  faults?: Record<Beside, BesideFigures>;
  /** GATEWAY_SEARCH_TOOLS over as many tools as one connection may have; absent: not measured. */
  search?: Latency;
}

export interface GatewaySettings extends PointSettings {
  sessionCalls: number;
  steady: { perSecond: number; calls: number };
}

/** How many upstreams a virtual MCP has, for lists of the same length. */
export const UPSTREAMS = [1, 50, 100] as const;
const LISTED_TOOLS = 500;
const CALLED_TOOLS = 10;
const HANGING_CALLS = 50;
const SESSIONS = 8;
const FAULT_CALLS = 400;
/** What the promise on searching is made for. */
export const SEARCHED_TOOLS = 5000;
const SEARCHED_UPSTREAMS = 10;
const SEARCHES = 200;

type Progress = (line: string) => void;

/** Measures P4 with one gateway and as many upstreams as it takes. */
export async function measureGateway(
  settings: GatewaySettings,
  method: Method,
  progress: Progress,
): Promise<GatewayFigures> {
  const bed = await openBed(method);
  try {
    const modern = await bed.upstream({ era: '2026', tools: CALLED_TOOLS });
    const legacy = await bed.upstream({ era: '2025', tools: CALLED_TOOLS });
    const raw = await bed.serve('servers/passthrough.ts', ['--upstream', modern.ready.url]);
    const stdio = await bed.connectProgram(CALLED_TOOLS);
    const direct = await bed.connect(modern.ready.url);
    const bridged = await bed.connect(legacy.ready.url);
    const proxy = await bed.mcpProxy(CALLED_TOOLS);
    const call = (name: string, url: string): Target => ({
      ...bed.target(url),
      name,
      kind: 'call',
      toolCount: CALLED_TOOLS,
    });
    const targets = [
      { ...call('passthrough call', raw.ready.url), pid: raw.pid },
      call('gateway call', direct),
      call('bridged call', bridged),
      call('stdio upstream call', stdio),
      ...(proxy === undefined ? [] : [{ ...call('mcp-proxy call', proxy.url), pid: proxy.pid }]),
    ];
    for (const count of UPSTREAMS) {
      progress(`connecting ${count} upstreams`);
      const url = await bed.virtual(count, LISTED_TOOLS);
      targets.push({
        ...bed.target(url),
        name: `virtual ${count} list`,
        kind: 'list',
        toolCount: LISTED_TOOLS,
      });
    }
    const points = await measurePoints(targets, settings, method, progress);
    const sessions = await measureSessions(bed, { direct, stdio, proxy }, settings, method, progress);
    const hang = await measureHang(bed, direct, settings, progress);
    const faults = await measureFaults(bed, direct, settings, progress);
    return { points, sessions, hang, faults, search: await measureSearch(bed, progress) };
  } finally {
    await bed.close();
  }
}

async function measureSessions(
  bed: Bed,
  { direct, stdio, proxy }: { direct: string; stdio: string; proxy: McpProxy | undefined },
  { sessionCalls: calls }: GatewaySettings,
  { cpuSource }: Method,
  progress: Progress,
): Promise<GatewayFigures['sessions']> {
  progress('sessions of 2025 clients');
  const load = { calls, sessions: SESSIONS };
  const bridged = await sessionCost({ ...bed.target(direct), ...load }, cpuSource);
  const own = await sessionCost({ ...bed.target(stdio), ...load }, cpuSource);
  if (proxy === undefined) return { bridged, stdio: own };
  const mcpProxy = await sessionCost({ url: proxy.url, key: 'none', pid: proxy.pid, ...load }, cpuSource);
  return { bridged, stdio: own, mcpProxy };
}

/** One upstream takes calls and answers none; the calls of another one are timed before and meanwhile. */
async function measureHang(
  bed: Bed,
  url: string,
  { steady }: GatewaySettings,
  progress: Progress,
): Promise<GatewayFigures['hang']> {
  progress('calls beside an upstream that hangs');
  const hanging = await bed.upstream({ era: '2026', tools: 1 });
  const stuck = bed.target(await bed.connect(hanging.ready.url));
  const load = { ...bed.target(url), ...steady };
  await steadyCalls(load);
  const alone = await steadyCalls(load);
  await hanging.ask('fault hang');
  const calls = Array.from({ length: HANGING_CALLS }, (_, id) =>
    exchange(stuck.url, modernHeaders('call', stuck.key), modernBody('call', id)),
  );
  // They end with the server that hangs, and how is nobody's concern.
  const ended = Promise.allSettled(calls);
  // Before it, as before the one alone, so that not the opening of the stuck connections is timed.
  await steadyCalls(load);
  const beside = await steadyCalls(load);
  await hanging.stop();
  await ended;
  return { alone, beside };
}

/** Each is broken for a short time, one after the other. */
async function measureFaults(
  bed: Bed,
  url: string,
  { steady }: GatewaySettings,
  progress: Progress,
): Promise<Record<Beside, BesideFigures>> {
  const load = { ...bed.target(url), ...steady, calls: Math.min(steady.calls, FAULT_CALLS) };
  const measured: [Beside, BesideFigures][] = [];
  for (const kind of BESIDE) {
    progress(`calls beside an upstream with the fault ${kind}`);
    const broken = kind === 'exit' ? await bed.connectEnding() : await bed.connectBroken(kind);
    measured.push([kind, await besideFault(load, bed.target(broken.url), broken.begin)]);
    await broken.end();
  }
  // Each of the kinds was just measured.
  return Object.fromEntries(measured) as Record<Beside, BesideFigures>;
}

/** One after the other, so that no search waits for another one. */
async function measureSearch(bed: Bed, progress: Progress): Promise<Latency> {
  progress(`searching ${SEARCHED_TOOLS} tools`);
  const url = `${await bed.virtual(SEARCHED_UPSTREAMS, SEARCHED_TOOLS)}?mode=smart_tool_selection`;
  return searchTimes(bed.target(url), SEARCHES);
}

interface Bed {
  upstream: (what: { era: '2026' | '2025'; tools: number }) => Promise<ServerProcess>;
  serve: (source: string, args: string[]) => Promise<ServerProcess>;
  /** Makes a connection and gives its URL at the gateway. */
  connect: (url: string) => Promise<string>;
  connectProgram: (tools: number) => Promise<string>;
  /** An upstream that is well until `begin`. */
  connectBroken: (fault: string) => Promise<BrokenUpstream>;
  /** A program that runs until `begin`, and from then on ends when it is started. */
  connectEnding: () => Promise<BrokenUpstream>;
  /** Another proxy before a stdio upstream of its own; undefined where it is not installed. */
  mcpProxy: (tools: number) => Promise<McpProxy | undefined>;
  virtual: (upstreams: number, tools: number) => Promise<string>;
  target: (url: string) => { url: string; key: string; pid: number };
  close: () => Promise<void>;
}

interface BrokenUpstream {
  url: string;
  begin: () => Promise<unknown>;
  end: () => Promise<unknown>;
}

async function openBed({ cores }: Method): Promise<Bed> {
  const gateway = await startServer(await bundleShipped('servers/gateway-main.ts'), [], cores?.server);
  const started: { stop: () => Promise<void> }[] = [gateway];
  const { url, key } = gateway.ready;
  const owner = { url, key: String((await gateway.ask('owner'))['key']) };
  const stdioScript = bundleScript('servers/upstream-stdio.ts');
  const program = (tools: number) => [process.execPath, stdioScript, String(tools)];
  // Upstreams share the core of the generator: what is measured has its own.
  const serve = async (source: string, args: string[], core = cores?.server) => {
    const server = await startServer(bundleScript(source), args, core);
    started.push(server);
    return server;
  };
  const upstream: Bed['upstream'] = ({ era, tools }) =>
    serve('servers/upstream-raw.ts', ['--era', era, '--tools', String(tools)], cores?.generator);
  const made = async (data: Record<string, unknown>) => {
    const { item } = await callTool(owner, 'COLLECTION_CONNECTIONS_CREATE', {
      data: { title: 'Bench', ...data },
    });
    return (item as { id: string }).id;
  };
  const overStdio = (program: string[]) => {
    const [command, ...args] = program;
    return made({ connection_type: 'STDIO', connection_headers: { command, args } });
  };
  const overHttp = (at: string) => made({ connection_type: 'HTTP', connection_url: at });
  return {
    upstream,
    serve: (source, args) => serve(source, args),
    async mcpProxy(tools) {
      const proxy = await startMcpProxy(program(tools), cores?.server);
      if (proxy !== undefined) started.push(proxy);
      return proxy;
    },
    connect: async (at) => `${url}/mcp/${await overHttp(at)}`,
    connectProgram: async (tools) => `${url}/mcp/${await overStdio(program(tools))}`,
    async connectBroken(fault) {
      const broken = await upstream({ era: '2026', tools: 1 });
      const id = await overHttp(broken.ready.url);
      return {
        url: `${url}/mcp/${id}`,
        begin: () => broken.ask(`fault ${fault}`),
        end: () => broken.stop(),
      };
    },
    async connectEnding() {
      const folder = await mkdtemp(join(tmpdir(), 'parley-bench-ending-'));
      const mark = join(folder, 'end');
      const id = await overStdio([...program(1), mark]);
      return {
        url: `${url}/mcp/${id}`,
        begin: () => writeFile(mark, ''),
        end: () => rm(folder, { recursive: true, force: true }),
      };
    },
    async virtual(count, tools) {
      const ids: string[] = [];
      const { ready } = await upstream({ era: '2026', tools: tools / count });
      for (let index = 0; index < count; index += 1)
        ids.push(await overHttp(index === 0 ? ready.url : `${ready.url}/u${index}_/${tools / count}`));
      const data = { title: `Bench ${count}`, connections: ids.map((connection_id) => ({ connection_id })) };
      const { item } = await callTool(owner, 'COLLECTION_VIRTUAL_MCP_CREATE', { data });
      return `${url}/mcp/virtual-mcp/${(item as { id: string }).id}`;
    },
    target: (at) => ({ url: at, key, pid: gateway.pid }),
    close: async () => {
      await Promise.all(started.map((server) => server.stop()));
    },
  };
}
