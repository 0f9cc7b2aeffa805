/** Starts a long-running task, draws its progress as a live bar, answers its questions, and shows the result. */
import assert from 'node:assert/strict';
import type { Task } from './task-client.ts';
import { connect, follow, startTask } from './task-client.ts';

const STEPS = 6;
const WIDTH = 24;

/** Runs the whole story against a server; throws when the server answers anything else than it should. */
export async function run(url: string, key: string): Promise<void> {
  const client = await connect(url, key);
  try {
    let questions = 0;
    const started = await startTask(client, 'start_long_running_task', {
      steps: STEPS,
      delayMs: 150,
      notificationInterval: 2,
    });
    console.log(`Started ${started.taskId}`);
    const ended = await follow(client, started, drawBar, ({ method }) => {
      questions += 1;
      assert.equal(method, 'sampling/createMessage');
      console.log(`\nThe task asks how to go on. Answer: continue`);
      return { role: 'assistant', model: 'you', content: { type: 'text', text: 'continue' } };
    });
    process.stdout.write('\n');
    assert.equal(ended.status, 'completed');
    const output = ended.result?.structuredContent as Record<string, unknown>;
    assert.equal(output.currentStep, STEPS);
    assert.deepEqual(output.samplingResponses, ['continue', 'continue']);
    assert.equal(questions, 2);
    console.log('Result:', JSON.stringify(output));
  } finally {
    await client.close();
  }
}

/** A task's message says "Step 2 of 6"; a terminal gets one line that is drawn over. */
function drawBar({ statusMessage = '' }: Task): void {
  const step = Number(/^Step (\d+)/.exec(statusMessage)?.[1] ?? 0);
  const filled = Math.round((step / STEPS) * WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${Math.round((step / STEPS) * 100)} %`;
  if (process.stdout.isTTY) process.stdout.write(`\r${bar}  ${statusMessage}\u001B[K`);
  else console.log(`${bar}  ${statusMessage}`);
}

const [url, key] = process.argv.slice(2);
const isProgram = process.argv[1] === import.meta.filename;
if (isProgram && url !== undefined && key !== undefined) await run(url, key);
else if (isProgram) console.log('Usage: node client.ts http://127.0.0.1:4680/mcp parley_...');
