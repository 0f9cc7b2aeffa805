/** A part whose code is loaded by the first who uses it: most servers start without most parts. */

export interface Late<Part> {
  /** The part, once it is there. */
  readonly now: Part | undefined;
  /** Loads it, or waits for whoever does. */
  load(): Promise<Part>;
  /** Does work with the part where somebody has asked for it, and nothing otherwise. */
  whenUsed(work: (part: Part) => void | Promise<void>): Promise<void>;
}

export function late<Part>(make: () => Promise<Part>): Late<Part> {
  let now: Part | undefined;
  let loading: Promise<Part> | undefined;
  const load = async (): Promise<Part> => {
    try {
      return (now = await make());
    } catch (error) {
      // Whoever asks next tries again.
      loading = undefined;
      throw error;
    }
  };
  return {
    get now() {
      return now;
    },
    load: () => (loading ??= load()),
    async whenUsed(work) {
      // What could not be loaded has told those who asked for it.
      const part = await loading?.catch(() => undefined);
      if (part !== undefined) await work(part);
    },
  };
}
