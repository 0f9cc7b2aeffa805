/** How long calls took: a Prometheus histogram that costs a call one look-up, where the library's looks its labels up anew each time. */
import type { CallRecord } from '@parley/kit';
import { escaped } from './families.ts';

const NAME = 'mcp_server_operation_duration_seconds';
const HELP = 'Duration of MCP operations as the server sees them.';
const BOUNDS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];
/** Tools of others may be many; those beyond it are counted without their name. */
const MAX_SERIES = 2_000;

interface Labels {
  readonly method: string;
  /** The toolset or connection that the tool is of. */
  readonly toolset: string;
  readonly tool: string;
  readonly error: string;
  readonly era: string;
}

interface Series extends Labels {
  /** How many ended within each bound and above the one before; the last one is beyond all bounds. */
  readonly counts: number[];
  sum: number;
}

/** True for a toolset that every organization has; what else is called, only its organization knows. */
export type IsForEverybody = (toolset: string) => boolean;

export class CallDurations {
  readonly #isForEverybody: IsForEverybody;
  readonly #byTool = new Map<string, Series[]>();
  #size = 0;

  constructor(isForEverybody: IsForEverybody) {
    this.#isForEverybody = isForEverybody;
  }

  observe({ method, name, toolset, outcome, code, durationMs, info }: CallRecord): void {
    // A denied name may be anything; it must not become a label.
    const isForEverybody = this.#isForEverybody(toolset);
    const isNamed = outcome !== 'denied' && method !== 'resources/read' && isForEverybody;
    const tool = isNamed ? name : '';
    const error = outcome === 'ok' ? '' : (code ?? outcome);
    const series = this.#series({
      method,
      toolset: isForEverybody ? toolset : '',
      tool,
      error,
      era: info.era,
    });
    const seconds = durationMs / 1000;
    let place = 0;
    while (place < BOUNDS_S.length && seconds > (BOUNDS_S[place] ?? Infinity)) place += 1;
    series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.sum += seconds;
  }

  /** The histogram as Prometheus reads it. */
  text(): string {
    const lines = [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`];
    for (const series of [...this.#byTool.values()].flat()) lines.push(...linesOf(series));
    return lines.join('\n');
  }

  #series(labels: Labels): Series {
    const { method, toolset, tool, error, era } = labels;
    const ofTool = this.#byTool.get(tool);
    const known = ofTool?.find(
      (each) =>
        each.method === method && each.error === error && each.era === era && each.toolset === toolset,
    );
    if (known !== undefined) return known;
    if (this.#size >= MAX_SERIES && (tool !== '' || toolset !== ''))
      return this.#series({ ...labels, tool: '', toolset: '' });
    const made = { ...labels, counts: Array<number>(BOUNDS_S.length + 1).fill(0), sum: 0 };
    this.#size += 1;
    if (ofTool === undefined) this.#byTool.set(tool, [made]);
    else ofTool.push(made);
    return made;
  }
}

function linesOf({ method, toolset, tool, error, era, counts, sum }: Series): string[] {
  const labels = [
    `mcp_method_name="${escaped(method)}"`,
    `gen_ai_tool_name="${escaped(tool)}"`,
    `parley_connection="${escaped(toolset)}"`,
    `error_type="${escaped(error)}"`,
    `parley_era="${escaped(era)}"`,
  ].join(',');
  let total = 0;
  const buckets = counts.map((count, place) => {
    total += count;
    return `${NAME}_bucket{le="${BOUNDS_S[place] ?? '+Inf'}",${labels}} ${total}`;
  });
  return [...buckets, `${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${total}`];
}
