/** Owns pausing and resuming of animations and videos on the page. */
import { detach } from '../detach.ts';

/** Pauses on the first call, resumes on the next; returns whether the page is paused now. */
export function createPause(): () => boolean {
  let resume: (() => void)[] = [];
  return () => {
    if (resume.length > 0) {
      for (const one of resume) one();
      resume = [];
      return false;
    }
    const running = document.getAnimations().filter(({ playState }) => playState === 'running');
    const playing = [...document.querySelectorAll('video')].filter(({ paused }) => !paused);
    for (const animation of running) animation.pause();
    for (const video of playing) video.pause();
    resume = [
      // Also a page without anything that moves counts as paused, until the next call.
      () => undefined,
      ...running.map((animation) => () => animation.play()),
      // A page may have taken the video away, or its source.
      ...playing.map((video) => () => detach(video.play(), () => undefined)),
    ];
    return true;
  };
}
