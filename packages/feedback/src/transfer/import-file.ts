/** Imports a file, whatever it is: rows of posts, or an archive. */
import { allow } from '../services/guard.ts';
import { isArchive } from './archive-check.ts';
import { FileFault } from './file-fault.ts';
import { importArchive } from './import-archive.ts';
import type { Importer, ImportOptions, ImportServices } from './import-posts.ts';
import { importPosts } from './import-posts.ts';
import { formOf } from './read-rows.ts';
import { requireFile } from './read-text.ts';
import type { ImportReport } from './report.ts';

/** Imports the file at a path in the name of an administrator. */
export async function importFile(
  services: ImportServices,
  importer: Importer,
  path: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  allow('admin', importer.actor);
  const form = formOf(path);
  requireFile(path);
  if (form !== 'jsonl' || !(await isArchive(path)))
    return importPosts(services, importer, { path, form }, options);
  if (options.board !== undefined || options.createBoards === true)
    throw new FileFault(
      'An archive brings its own boards: leave out the board and the choice to make boards (--board, --create-boards).',
    );
  return importArchive(services, importer, path, options);
}
