/** The engine of a virtual MCP in one mode: it waits for what has changed, labels its calls, and calls other tools for the meta tool. */
import type { Caller, Engine, Exchange, ToolAnswer } from '@parley/kit';
import { errorResult, ProtocolFault, RPC, ToolError } from '@parley/kit';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import { startsCode } from '../sandbox/tool-universe.ts';
import { CALL_TOOL, targetOf } from './meta-tools.ts';
import { nearNames } from './near-names.ts';

/** What is peculiar to a virtual MCP. */
export interface VirtualEngineParts {
  readonly id: string;
  /** Loads what is not up to date; undefined when all is. */
  ready(): Promise<unknown> | undefined;
  /** Resolves when the lists of the members are worth giving out; undefined: they are. */
  settled(): Promise<unknown> | undefined;
  /** What a caller who has no tool is told. */
  whyEmpty(): string;
  /** Where every tool is itself; absent: here. */
  readonly whole?: Engine;
  /** The tools that the meta tools stand for. */
  readonly universe?: ToolUniverse;
}

/** Wraps an engine over the parts of a virtual MCP. */
export function virtualEngine(inner: Engine, parts: VirtualEngineParts): Engine {
  const { id, universe, whole = inner } = parts;
  const labelled = (exchange: Exchange): Exchange => ({
    ...exchange,
    info: { ...exchange.info, virtualMcpId: id },
  });
  const fresh = async () => {
    const loading = parts.ready();
    if (loading !== undefined) await loading;
  };
  const { documents } = inner;

  /** The call of the tool that is named; what is not there is told with what may have been meant. */
  async function callNamed(caller: Caller, args: unknown, exchange: Exchange): Promise<ToolAnswer> {
    const target = targetOf(args);
    if (target === undefined || universe === undefined)
      return inner.call(caller, CALL_TOOL, args, labelled(exchange));
    const found = whole.find(caller, target.name);
    if (found !== undefined && !startsCode(found.tool)) return found.call(target.args, exchange);
    try {
      return await universe.call(caller, target.name, target.args, labelled(exchange));
    } catch (error) {
      if (!(error instanceof ProtocolFault) || error.code !== RPC.invalidParams) throw error;
      const names = (await universe.tools(caller)).map(({ name }) => name);
      return errorResult(noTool(target.name, nearNames(target.name, names)));
    }
  }

  return {
    ...inner,
    ready(member) {
      const loading = parts.ready();
      if (loading === undefined) return inner.ready(member);
      return loading.then(() => inner.ready(member));
    },
    settled(member) {
      // What has come meanwhile is put together before anybody lists it.
      return parts.settled()?.then(fresh) ?? inner.settled(member);
    },
    find(caller, name) {
      const found = inner.find(caller, name);
      if (found === undefined) return undefined;
      const isNaming = name === CALL_TOOL && universe !== undefined;
      return {
        tool: found.tool,
        call: (args, exchange) =>
          isNaming ? callNamed(caller, args, exchange) : found.call(args, labelled(exchange)),
      };
    },
    async call(caller, name, args, exchange) {
      await fresh();
      if (name === CALL_TOOL && universe !== undefined && inner.find(caller, name) !== undefined)
        return callNamed(caller, args, exchange);
      return inner.call(caller, name, args, labelled(exchange));
    },
    documents: {
      ...documents,
      async read(caller, uri, exchange) {
        await fresh();
        return documents.read(caller, uri, labelled(exchange));
      },
      async get(caller, name, args, exchange) {
        await fresh();
        return documents.get(caller, name, args, labelled(exchange));
      },
      async complete(caller, request, exchange) {
        await fresh();
        return documents.complete(caller, request, labelled(exchange));
      },
    },
    instructionsFor(caller) {
      const own = inner.instructionsFor(caller);
      if (whole.list(caller).tools.length > 0) return own;
      return [own, parts.whyEmpty()].filter((text) => text !== undefined).join('\n\n');
    },
  };
}

function noTool(name: string, near: readonly string[]): ToolError {
  const hint = near.length === 0 ? 'Search for one first.' : `Near names: ${near.join(', ')}.`;
  return new ToolError('not_found', `There is no tool "${name}". ${hint}`, { near });
}
