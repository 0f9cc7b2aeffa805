/** Durable tasks: the engine, the MCP tasks extension, and the toolset `tasks`. Start reading at `engine/engine.ts`. */
export type { TaskHappening } from './engine/changes.ts';
export { createTaskEngine, untilFinal } from './engine/engine.ts';
export type { TaskEngine, TaskEngineOptions } from './engine/engine.ts';
export type { RunReport, TaskFigures } from './engine/figures.ts';
export type { Ending } from './engine/finish.ts';
export type { Kind, TaskRun } from './engine/kinds.ts';
export { createTaskSeam } from './extension/seam.ts';
export { TASKS_EXTENSION } from './extension/wire.ts';
export type { SeamOptions } from './extension/seam.ts';
export { toolKinds } from './extension/tool-kind.ts';
export type { CurrentCaller } from './extension/tool-kind.ts';
export { DEFAULT_TASK_LIMITS } from './limits.ts';
export type { TaskLimits } from './limits.ts';
export { taskMigrations } from './migrations/index.ts';
export { countAsking, placesOfTasks, seeTask, seeTasks } from './services/overview.ts';
export type { SeenTask, TaskStep } from './services/overview.ts';
export type { NewTask, Task, TaskOwner, TaskStatus } from './task.ts';
export { tasksToolset } from './toolset.ts';
