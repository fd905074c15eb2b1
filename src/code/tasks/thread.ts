import { serveTasks } from '../../task-thread.ts';
import { TASKS } from './table.ts';

serveTasks(TASKS);
