/** Import and export: files of posts, and archives of everything. */
export { exportArchive } from './export-archive.ts';
export type { ExportReport, WriteText } from './export-archive.ts';
export { FileFault } from './file-fault.ts';
export { importFile } from './import-file.ts';
export type { Importer, ImportOptions, ImportServices } from './import-posts.ts';
export { exportPostsCsv } from './posts-csv.ts';
export type { ImportObserver, ImportReport, RowFault } from './report.ts';
