/** How a model steers a long-running task: continue, pause or stop. */
import type { Context } from '@parley/kit';
import { Leave, ToolError } from '@parley/kit';
import * as z from 'zod';

/** What came of asking. */
export interface Guidance {
  readonly said: readonly string[];
  readonly stop: boolean;
}

const MAX_PAUSES = 10;
const PAUSE_MS = 30_000;

/** Asks the model after a step; a pause asks the person, or waits and asks again. */
export async function guide(step: number, total: number, ctx: Context): Promise<Guidance> {
  const said: string[] = [];
  for (let pause = 0; pause <= MAX_PAUSES; pause += 1) {
    const text = await sampleText(step, total, ctx);
    if (text === undefined) return { said, stop: false };
    said.push(text);
    const word = /^\W*(\w+)/.exec(text)?.[1]?.toLowerCase();
    if (word === 'stop') return { said, stop: true };
    if (word !== 'pause') return { said, stop: false };
    if (ctx.supports('elicitation')) return { said, stop: await askToStop(step, total, ctx) };
    if (pause < MAX_PAUSES) await ctx.sleep(`pause ${step}.${pause}`, PAUSE_MS);
  }
  return { said, stop: false };
}

/** What the model said; undefined when it was not text. */
async function sampleText(step: number, total: number, ctx: Context): Promise<string | undefined> {
  const percent = Math.round((step / total) * 100);
  const question = `Step ${step} of ${total} is done (${percent} %). Answer with one word: continue, pause or stop.`;
  try {
    const answer = await ctx.sample(`guidance ${step}`, {
      messages: [{ role: 'user', content: { type: 'text', text: question } }],
      systemPrompt: 'You supervise a long-running task. Answer briefly.',
      maxTokens: 100,
      temperature: 0.7,
    });
    const [content] = [answer.content].flat();
    if (content?.type !== 'text') return undefined;
    return content.text.trim() || '(no answer)';
  } catch (error) {
    if (error instanceof Leave || !(error instanceof ToolError)) throw error;
    // A model that cannot be asked stops nothing.
    return `(no answer: ${error.message})`;
  }
}

async function askToStop(step: number, total: number, ctx: Context): Promise<boolean> {
  const schema = z.object({ choice: z.enum(['continue', 'stop']).describe('What to do next') });
  try {
    const { choice } = await ctx.ask(`paused ${step}`, {
      message: `The task is paused after step ${step} of ${total}.`,
      schema,
    });
    return choice === 'stop';
  } catch (error) {
    if (error instanceof Leave || !(error instanceof ToolError)) throw error;
    return false;
  }
}
