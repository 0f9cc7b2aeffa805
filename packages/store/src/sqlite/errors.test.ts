/** Every error of SQLite and of the files under it has a class of the store. */
import { expect, test } from 'vitest';
import { StatementError, StoreUnavailableError } from '../errors.ts';
import { toStoreError } from './errors.ts';

const coded = (code: string) => Object.assign(new Error('words of the driver'), { code });
const reasonOf = (code: string) => {
  const mapped = toStoreError(coded(code), '/tmp/parley.db');
  return mapped instanceof StoreUnavailableError ? mapped.reason : mapped;
};

test.each([
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['SQLITE_PROTOCOL', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['EDQUOT', 'full'],
  ['SQLITE_IOERR_WRITE', 'lost'],
  ['SQLITE_IOERR_FSYNC', 'lost'],
  ['SQLITE_IOERR_SHMMAP', 'lost'],
  ['SQLITE_CANTOPEN', 'lost'],
  ['EIO', 'lost'],
  ['ENODEV', 'lost'],
  ['ESTALE', 'lost'],
  ['SQLITE_READONLY_DBMOVED', 'gone'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_CORRUPT', 'damaged'],
])('%s: %s', (code, reason) => {
  expect(reasonOf(code)).toBe(reason);
});

test('a refused statement keeps the text and the code; what is not of the database is left as it is', () => {
  const refused = reasonOf('SQLITE_CONSTRAINT_UNIQUE');
  expect(refused).toBeInstanceOf(StatementError);
  expect(refused).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE', message: 'words of the driver' });
  const bug = new TypeError('a bug');
  expect(toStoreError(bug, '/tmp/parley.db')).toBe(bug);
  const known = new StoreUnavailableError('busy');
  expect(toStoreError(known, '/tmp/parley.db')).toBe(known);
});
