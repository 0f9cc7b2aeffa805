import { expect, test } from 'vitest';
import { late } from './late.ts';

test('a part is made once, by the first who asks, and is at hand from then on', async () => {
  let made = 0;
  const part = late(async () => ({ number: (made += 1) }));
  expect(part.now).toBeUndefined();
  expect(made).toBe(0);
  const [first, second] = await Promise.all([part.load(), part.load()]);
  expect(first).toBe(second);
  expect(part.now).toBe(first);
  expect(made).toBe(1);
});

test('what could not be made is tried again by whoever asks next', async () => {
  let tries = 0;
  const part = late(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not now');
    return tries;
  });
  await expect(part.load()).rejects.toThrow('not now');
  expect(part.now).toBeUndefined();
  expect(await part.load()).toBe(2);
});

test('what ends a part waits for one that is being made, and makes none', async () => {
  const begun = Promise.withResolvers<string>();
  const seen: string[] = [];
  const keep = (part: string) => {
    seen.push(part);
  };
  const part = late(() => begun.promise);
  await part.whenUsed(keep);
  expect(seen).toEqual([]);
  const loading = part.load();
  const ended = part.whenUsed(keep);
  begun.resolve('part');
  await Promise.all([loading, ended]);
  expect(seen).toEqual(['part']);
  const broken = late<string>(() => Promise.reject(new Error('never')));
  const failed = broken.load();
  await broken.whenUsed(keep);
  await expect(failed).rejects.toThrow('never');
  expect(seen).toEqual(['part']);
});
