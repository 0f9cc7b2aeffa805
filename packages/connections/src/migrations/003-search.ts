/** The texts of connections in a search index, so that a list finds what contains a text without looking at each row. */
import type { Migration } from '@parley/store';
import { createSearchIndex } from '@parley/store';

export const indexTexts: Migration = (db, engine) =>
  createSearchIndex(db, engine, {
    table: 'connections',
    columns: ['title', 'description', 'app_name', 'app_id', 'connection_url', 'metadata'],
  });
