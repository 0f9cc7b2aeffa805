import { expect, test } from 'vitest';
import { OpenConnection } from './connection.ts';

test('whoever ends a connection waits for what hangs on it, which runs once, also when one part fails', async () => {
  const connection = new OpenConnection();
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.onEnd(async () => {
    await promise;
    done.push('slow');
  });
  connection.onEnd(() => Promise.reject(new Error('told elsewhere')));
  const ends = [connection.end(), connection.end()];
  expect(done).toEqual([]);
  resolve();
  await Promise.all(ends);
  expect(done).toEqual(['slow']);
});

test('what a late call leaves behind is cleared up after the end too', async () => {
  const connection = new OpenConnection();
  await connection.end();
  const done: string[] = [];
  connection.onEnd(async () => {
    done.push('late');
  });
  await connection.end();
  expect(done).toEqual(['late']);
});

test('two connections are told apart', () => {
  expect(new OpenConnection().id).not.toBe(new OpenConnection().id);
});
