import Koa from 'koa'
import Router from '@koa/router'
import { serveKoa } from './koa-app.js'

serveKoa(Koa, Router)
