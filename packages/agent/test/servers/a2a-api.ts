/** A stand-in for a server with an agent: its card, and tasks that end after a few looks. */
import type { RecordingServer, Reply } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const CARD = {
  name: 'Echo',
  version: '1.2.0',
  description: 'Says it again',
  url: 'https://echo.example',
  provider: { organization: 'Example' },
  capabilities: { streaming: true, pushNotifications: false },
  authentication: { schemes: ['bearer'] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'again', tags: ['text'] }],
};

export interface A2aApi extends RecordingServer {
  /** How often a task is looked at before it ends; -1: it never ends. */
  looks: number;
  /** How it ends. */
  ending: 'completed' | 'failed';
  /** Told of every look. */
  onLook: () => void;
}

export async function startA2aApi(): Promise<A2aApi> {
  let left = 0;
  let asked = '';
  const task = (state: string, reply?: string): Reply => ({
    body: {
      id: 'task-1',
      state,
      messages: [
        { role: 'user', parts: [{ type: 'text', text: asked }] },
        ...(reply === undefined ? [] : [{ role: 'agent', parts: [{ type: 'text', text: reply }] }]),
      ],
    },
  });
  const server: A2aApi = Object.assign(
    await startRecordingServer(({ method, path, body }) => {
      if (path.endsWith('/.well-known/agent-card.json')) return { body: CARD };
      if (method === 'POST' && path.endsWith('/a2a/tasks/send')) {
        asked = (body as { message: string }).message;
        left = server.looks;
        return task('submitted');
      }
      if (!path.endsWith('/a2a/tasks/task-1')) return { status: 404, body: { error: 'no such thing' } };
      server.onLook();
      left -= 1;
      return left === 0 ? task(server.ending, `You said: ${asked}`) : task('working');
    }),
    { looks: 2, ending: 'completed' as const, onLook: () => undefined },
  );
  return server;
}
