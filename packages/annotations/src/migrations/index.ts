/** Migrations of annotations, in order. */
import type { MigrationSet } from '@parley/store';
import { createAnnotations } from './001-annotations.ts';

/** Applied by whoever opens the store. */
export const annotationMigrations: MigrationSet = {
  name: 'annotations',
  migrations: { '001-annotations': createAnnotations },
};
