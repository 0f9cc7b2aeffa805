/** Owns telling whether what is shown is live, and the banner of a server that is gone for a while. */
import { WifiOff } from 'lucide-react';
import { retryLive, useLiveState } from '../api/live.ts';
import type { LiveState } from '../api/live.ts';
import { Button } from '../ui/button.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { useIsReachable } from './reachable.ts';

const WORDS: Readonly<Record<LiveState, readonly [word: string, meaning: string]>> = {
  live: ['Live', 'Changes by others show at once.'],
  connecting: ['Connecting', 'Changes by others show again once the stream is back.'],
  paused: ['Paused', 'The tab was hidden; it catches up when it is shown.'],
};

/** A dot and a word. */
export function LiveStatus() {
  const state = useLiveState();
  const [word, meaning] = WORDS[state];
  return (
    <Tooltip text={meaning}>
      <button
        type="button"
        className={`live live-${state}`}
        onClick={retryLive}
        aria-label={`${word}: ${meaning}`}
      >
        <span className="live-dot" aria-hidden />
        <span className="live-text">{word}</span>
      </button>
    </Tooltip>
  );
}

/** Says that the server is gone; goes away by itself when it is back. */
export function LostServer() {
  const isReachable = useIsReachable();
  if (isReachable) return null;
  return (
    <div className="lost" role="alert">
      <WifiOff size={16} aria-hidden />
      <span className="grow">
        The server cannot be reached. It is tried again by itself; what you typed stays.
      </span>
      <Button size="s" onClick={retryLive}>
        Try now
      </Button>
    </div>
  );
}
