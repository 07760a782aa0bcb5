import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MovieController } from './movie-controller.js';
import { MovieSearch } from './movie-search.js';

@Module({
  controllers: [MovieController],
  providers: [{ provide: MovieSearch, useFactory: () => MovieSearch.open('./data.sv') }],
})
class AppModule {}

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(3000);
