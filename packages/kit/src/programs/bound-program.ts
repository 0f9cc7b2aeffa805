/** Programs that do not outlive this process, however it ends: each has a group of its own, and a watch in it. */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

export interface BoundProgram {
  /** Never begins with a dash: a shell would take it for an option. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Given whole. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly ['pipe' | 'ignore', 'pipe', 'pipe' | 'ignore'];
}

// The watch waits for the other end of descriptor 3, which only this process holds: it closes also when this process is
// killed, and then nobody else could end the group. The program takes the place of the shell, which reads none of its
// arguments, and gets neither the descriptor nor a variable of the shell.
const WATCHED =
  '(trap "" TERM INT HUP; exec >/dev/null 2>&1; read -r _ <&3; kill -KILL 0) & exec 3<&-; unset PWD OLDPWD SHLVL; exec "$@"';
const WATCH_AT = 3;

const running = new Set<ChildProcess>();
const endAll = () => {
  for (const child of running) tellGroup(child, 'SIGKILL');
};

/** Starts a program; when it ends, whatever it left in its group ends with it. */
export function startBound({ file, args, cwd, env, stdio }: BoundProgram): ChildProcess {
  // Loaded by the first program: most servers start none.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child: ChildProcess = spawn('/bin/sh', ['-c', WATCHED, 'sh', file, ...args], {
    cwd,
    env,
    shell: false,
    detached: true,
    stdio: [...stdio, 'pipe'],
  });
  // There are none at all when this process has no descriptor left.
  const streams: ChildProcess['stdio'] | undefined = child.stdio;
  // A pipe that was asked for is a socket; absent where nothing was started.
  const watch = streams?.[WATCH_AT] as Socket | null | undefined;
  watch?.on('error', () => undefined);
  watch?.unref();
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  const end = () => {
    tellGroup(child, 'SIGKILL');
    watch?.destroy();
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
  };
  child.once('exit', end);
  child.once('error', end);
  return child;
}

/** Tells the program and all that it has started. */
export function tellGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Nobody is left to be told.
  }
}
