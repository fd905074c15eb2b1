import { serveTasks } from '../../task-thread.ts';
import { CODE_TASKS } from './task-table.ts';

serveTasks(CODE_TASKS);
