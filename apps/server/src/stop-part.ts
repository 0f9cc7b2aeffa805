/** One part of a stop: a fault in it is reported, and the other parts still end. */

/** Ends one part; never rejects, so that nothing that comes after it is left out. */
export async function stopPart(
  work: () => Promise<unknown>,
  onFault: (error: unknown, where: string) => void,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    onFault(error, 'stop');
  }
}
