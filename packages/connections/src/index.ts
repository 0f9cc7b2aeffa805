/** Connections: the rows that the mesh and the gateway share. */
export { connectionMigrations } from './migrations/index.ts';
