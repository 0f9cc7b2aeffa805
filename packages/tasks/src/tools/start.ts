/** `start_long_running_task`: steps with delays, progress on the way, and a model that may steer. */
import type { Context } from '@parley/kit';
import { defineToolFor } from '@parley/kit';
import * as z from 'zod';
import type { TaskServices } from '../services/tasks.ts';
import { guide } from './guidance.ts';

const Output = z.object({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed']),
  steps: z.int(),
  currentStep: z.int(),
  progress: z.number().min(0).max(100),
  samplingResponses: z.array(z.string()),
  samplingSkipped: z.boolean().optional(),
  stoppedEarly: z.boolean().optional(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional(),
  message: z.string().optional(),
  pollIntervalMs: z.int().optional(),
});

const Input = z.object({
  steps: z.int().min(1).max(1000).describe('Number of steps to execute'),
  notificationInterval: z.int().min(1).default(1).describe('Send a notification every N steps'),
  delayMs: z.int().min(100).max(10_000).default(1000).describe('Delay between steps in milliseconds'),
  enableSampling: z.boolean().default(true).describe('Ask the client for guidance by sampling'),
});

/** What a run has come to. */
interface Reached {
  readonly step: number;
  readonly samplingResponses: string[];
  readonly samplingSkipped: boolean;
  readonly stoppedEarly: boolean;
}

const MAX_RESPONSES = 100;
const RESPONSE_LENGTH = 500;

/** Starts the task; what the caller gets at once depends on what its client declared. */
export const startLongRunningTask = defineToolFor<TaskServices>()({
  name: 'start_long_running_task',
  title: 'Start a long-running task',
  description:
    'Starts a task that runs the given number of steps, reports progress, and asks for guidance on the way.',
  effect: 'run',
  hints: { destructiveHint: false },
  task: 'allowed',
  taskOptions: {
    inlineLimitMs: 0,
    handle: ({ steps }: z.output<typeof Input>, { createdAt, done, ...follow }) => ({
      output: {
        ...follow,
        steps,
        currentStep: done,
        progress: percentOf(done, steps),
        samplingResponses: [],
        startedAt: new Date(createdAt).toISOString(),
      },
      text: `Started task ${follow.taskId} with ${steps} steps. ${follow.message}`,
    }),
  },
  input: Input,
  output: Output,
  text: ({ taskId, currentStep, steps }) => `Task ${taskId} completed ${currentStep} of ${steps} steps`,
  async run(input, ctx) {
    const now = () => new Date().toISOString();
    const startedAt = await ctx.step('started', now);
    const reached = await runSteps(input, ctx);
    const finishedAt = await ctx.step('finished', now);
    const { step, samplingResponses, samplingSkipped, stoppedEarly } = reached;
    return {
      taskId: ctx.taskId ?? '',
      status: 'completed' as const,
      steps: input.steps,
      currentStep: step,
      progress: percentOf(step, input.steps),
      samplingResponses,
      ...(samplingSkipped && { samplingSkipped }),
      ...(stoppedEarly && { stoppedEarly }),
      startedAt,
      finishedAt,
    };
  },
});

function percentOf(step: number, steps: number): number {
  return Math.round((step / steps) * 100);
}

async function runSteps(input: z.output<typeof Input>, ctx: Context<TaskServices>): Promise<Reached> {
  const { steps, notificationInterval, delayMs } = input;
  const samplingResponses: string[] = [];
  const mayGuide = input.enableSampling && ctx.supports('sampling');
  const samplingSkipped = input.enableSampling && !mayGuide;
  for (let step = 1; step <= steps; step += 1) {
    await ctx.sleep(`delay ${step}`, delayMs);
    const isLast = step === steps;
    const isDue = step % notificationInterval === 0;
    if (isDue || isLast) await ctx.progress(step, steps, `Step ${step} of ${steps}`);
    if (!isDue || isLast || !mayGuide) continue;
    const { said, stop } = await guide(step, steps, ctx);
    for (const text of said) {
      if (samplingResponses.length < MAX_RESPONSES) samplingResponses.push(text.slice(0, RESPONSE_LENGTH));
    }
    if (stop) return { step, samplingResponses, samplingSkipped, stoppedEarly: true };
  }
  return { step: steps, samplingResponses, samplingSkipped, stoppedEarly: false };
}
