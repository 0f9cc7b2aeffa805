/** The store: one database seam over SQLite and PostgreSQL, with migrations, signals, secrets and call records. */
export { Batches } from './batches.ts';
export type { BatchOptions, Written } from './batches.ts';
export { defineRows } from './collections/collection.ts';
export type { Rows, RowValues, ScopedRows } from './collections/collection.ts';
export { createSearchIndex } from './collections/search-index.ts';
export {
  addSerialId,
  byEngine,
  epochMsColumn,
  fromJson,
  jsonColumn,
  toJson,
  toQueryJson,
} from './columns.ts';
export { SqlFault } from './databases/databases.ts';
export type { Databases, SqlRequest, SqlResult, SqlValue } from './databases/databases.ts';
export { Turns } from './databases/turns.ts';
export type { AnyTables } from './engine.ts';
export {
  BackupError,
  isDatabaseError,
  isForeignKeyViolation,
  isUniqueViolation,
  isUnkeepableText,
  MigrationError,
  SecretKeyError,
  SecretOpenError,
  StatementError,
  StoreUnavailableError,
} from './errors.ts';
export type { UnavailableReason } from './errors.ts';
export { Durations } from './figures.ts';
export type { StoreFigures } from './figures.ts';
export type { Lockable } from './locks.ts';
export type { Migration, MigrationSet } from './migrations.ts';
export { damagedFiles, openStore, restoreBackup } from './open-store.ts';
export { deleteOwned, tablesWith } from './owned-rows.ts';
export type { Presence } from './presence.ts';
export type { RecordLog, RecordRetention } from './records/record-log.ts';
export type {
  CallDetail,
  CallOutcome,
  DetailedCallRecord,
  PendingDetail,
  RecordFilter,
  RecordQuery,
  StoredCallRecord,
} from './records/record-table.ts';
export type { CallPoint, CallSeriesQuery, CallStats, CallStatsQuery, ToolStats } from './records/rollups.ts';
export { slotOf, statsOf } from './records/rollups.ts';
export {
  isAmong,
  isAmongFew,
  isWrittenHere,
  lookUpByIndex,
  oneAtATime,
  planLast,
  rowLock,
  rowTable,
} from './row-table.ts';
export type { RowTableColumns } from './row-table.ts';
export { refuseLostKey } from './secrets/lost-key.ts';
export type { SecretBox, SecretContext } from './secrets/secret-box.ts';
export type { ChangeSignal, SignalEvent, WaitOptions } from './signals/change-signal.ts';
export type { Spending, Spent, SpentOn, Stretch } from './spending.ts';
export { inBatches } from './tidying.ts';
export type {
  Lane,
  Queryable,
  Store,
  StoreEngine,
  StoreOptions,
  StoreTransaction,
  TransactionOptions,
} from './store.ts';
