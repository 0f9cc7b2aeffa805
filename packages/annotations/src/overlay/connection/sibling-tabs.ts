/** Owns handing the session to other tabs of the same page, so that a second tab shows the same notes. */

/** The channel between tabs. */
export interface SiblingTabs {
  /** The session token of another open tab, if one answers in time. */
  ask(): Promise<string | undefined>;
  close(): void;
}

const ANSWER_MS = 150;

/** Opens the channel; `own` is the token this tab can hand out. */
export function openSiblingTabs(server: string, own: () => string | undefined): SiblingTabs {
  if (typeof BroadcastChannel === 'undefined') return { ask: async () => undefined, close: () => undefined };
  const channel = new BroadcastChannel(`parley ${server}`);
  let answer: ((token: string) => void) | undefined;
  channel.addEventListener('message', ({ data }: MessageEvent<{ ask?: boolean; token?: string }>) => {
    const token = own();
    if (data.ask && token !== undefined) channel.postMessage({ token });
    else if (typeof data.token === 'string') answer?.(data.token);
  });
  return {
    ask: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
        answer = (token) => {
          clearTimeout(timer);
          resolve(token);
        };
        channel.postMessage({ ask: true });
      }),
    close: () => channel.close(),
  };
}
