/** `--demo`: every screen has life in it. Start reading here; what feedback shows is the demo of that package. */
import type { Host } from '../start/host.ts';
import { agents } from './agents.ts';
import { calls } from './calls.ts';
import { connections } from './connections.ts';
import { events } from './events.ts';
import { notes } from './notes.ts';
import { people } from './people.ts';
import type { Part } from './scene.ts';
import { sceneOf } from './scene.ts';
import { tasks } from './tasks.ts';

/** Rows alone: they are there before the port is open. */
const STANDING: readonly Part[] = [people, notes, agents, calls];

/** What needs the server to run: programs that start, tasks that work, events that are delivered. */
const LIVING: readonly Part[] = [connections, tasks, events];

/** Seeds what is only rows; a part of which there is something already is left as it is. */
export async function seedStanding(host: Host, now: number = Date.now()): Promise<void> {
  await play(host, STANDING, now);
}

/** Plays the rest on the running server. */
export async function playLiving(host: Host, now: number = Date.now()): Promise<void> {
  await play(host, LIVING, now);
}

async function play(host: Host, parts: readonly Part[], now: number): Promise<void> {
  const scene = await sceneOf(host, now);
  for (const part of parts) {
    if (await part.isThere(scene)) continue;
    await part.play(scene);
  }
}
