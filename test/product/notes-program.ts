/** The real command line with one toolset more, as a program that brings its own tools would be. */
import { main } from '../../apps/server/src/index.ts';
import { notesToolset } from './notes-toolset.ts';

await main(process.argv.slice(2), [notesToolset]);
