import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { type Movie, MovieSearch } from './movie-search.js';

@Controller('movies')
export class MovieController {
  constructor(private readonly movies: MovieSearch) {}

  @Get()
  search(@Query('q') q = '') {
    return this.movies.search(q);
  }

  @Post()
  add(@Body() movies: Movie[]) {
    return this.movies.add(movies);
  }
}
