/** A person at a terminal as the other side of a call: questions are typed answers, progress is a live line. */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Channel } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { MaybeTerminal } from './progress-line.ts';
import { createProgressLine } from './progress-line.ts';

/** A terminal as the other side of a call. */
export interface Terminal extends Channel {
  /** Ends a progress line that is still open. */
  endLine(): void;
}

/** Asks on the terminal when there is one; otherwise every question is declined. */
export function terminalChannel(input: Readable & { isTTY?: boolean }, output: MaybeTerminal): Terminal {
  const line = createProgressLine(output);
  return {
    capabilities: input.isTTY ? { elicitation: {} } : {},
    async request(key, request) {
      if (!input.isTTY || request.method !== 'elicitation/create') {
        throw new ToolError('declined', `Nobody is there to answer "${key}" (${request.method}).`, {
          reason: 'unsupported',
        });
      }
      line.end();
      return ask(input, output, request.params);
    },
    step: async (_key, work) => work(),
    async progress(done, total, message) {
      line.report(done, total, message);
    },
    async log(level, data) {
      line.end();
      output.write(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}\n`);
    },
    endLine: () => line.end(),
  };
}

interface Form {
  readonly message: string;
  readonly requestedSchema: Record<string, unknown>;
}

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
}

async function ask(input: Readable, output: Writable, form: Form) {
  const lines = createInterface({ input, output });
  output.write(`${form.message}\n`);
  // A form's schema has a flat list of properties by definition.
  const fields = Object.entries((form.requestedSchema.properties ?? {}) as Record<string, Field>);
  const content: Record<string, string | number | boolean> = {};
  try {
    for (const [name, field] of fields) {
      const answer = await lines.question(`  ${field.title ?? field.description ?? name}: `);
      content[name] = typed(answer, field.type);
    }
  } finally {
    lines.close();
  }
  return { action: 'accept' as const, content };
}

function typed(answer: string, type: string | undefined): string | number | boolean {
  if (type === 'boolean') return /^(y|yes|true|1)$/i.test(answer.trim());
  return type === 'number' || type === 'integer' ? Number(answer) : answer;
}
