/** Owns bringing the code of a screen or of a part of one, which the server may be away for, or may have replaced. */

const AGAIN_MS = 1_000;

/**
 * Brings code. While the server is away it waits, as everything else on the page does; what is typed elsewhere stays. A
 * fault means that the server is there and the code is not: a newer version has taken its place.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await isServed()) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, AGAIN_MS);
      });
    }
  }
}

async function isServed(): Promise<boolean> {
  try {
    const { ok } = await fetch('/console/', { method: 'HEAD', cache: 'no-store' });
    return ok;
  } catch {
    return false;
  }
}
